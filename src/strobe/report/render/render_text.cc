#include "strobe/report/render/render.h"

#include <algorithm>
#include <cmath>

#include "strobe/report/render/display_text.h"
#include "strobe/report/render/text_layout.h"

namespace strobe::report {
namespace {

using analysis::Finding;
using analysis::FindingWeight;

constexpr std::size_t kLeastWidth = 40;
constexpr std::size_t kMargin = 2;
constexpr std::size_t kIndent = 2;  // per level of a row

enum class Ink { kPlain, kBold, kDim, kAccent, kWarm, kRed, kYellow };

std::string_view code_of(Ink ink) {
  switch (ink) {
    case Ink::kPlain:
      return "";
    case Ink::kBold:
      return "\x1b[1m";
    case Ink::kDim:
      return "\x1b[2m";
    case Ink::kAccent:
      return "\x1b[36m";
    case Ink::kWarm:
      return "\x1b[33m";
    case Ink::kRed:
      return "\x1b[1;31m";
    case Ink::kYellow:
      return "\x1b[1;33m";
  }
  return "";
}

std::string repeated(std::string_view text, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

class TextPage {
 public:
  TextPage(const Document& document, const TextStyle& style)
      : document_(document),
        style_(style),
        width_(std::max(kLeastWidth, static_cast<std::size_t>(std::max(style.width, 0)))) {}

  std::string render() {
    line(inked(fitted(document_.title, width_), Ink::kBold));
    for (const std::string& sentence : document_.verdict) {
      paragraph(sentence, kMargin, Ink::kBold);
    }
    if (!document_.verdict.empty() && !document_.facts.empty()) line("");
    health();
    facts();
    findings();
    for (const Section& section : document_.sections) {
      if (is_on_page(section)) this->section(section);
    }
    return std::move(out_);
  }

 private:
  void line(std::string text) {
    while (!text.empty() && text.back() == ' ') text.pop_back();
    out_ += text;
    out_ += '\n';
  }

  std::string inked(const std::string& text, Ink ink) const {
    if (!style_.color || ink == Ink::kPlain || text.empty()) return text;
    return std::string(code_of(ink)) + text + "\x1b[0m";
  }

  // Without unicode, the sign for "about" is replaced.
  std::string clean(std::string text) const {
    constexpr std::string_view kAbout = "≈";
    for (std::size_t at = 0; !style_.unicode && (at = text.find(kAbout, at)) != text.npos;) {
      text.replace(at, kAbout.size(), "~");
    }
    return printable(text, style_.unicode);
  }
  std::string fitted(const std::string& text, std::size_t columns) const {
    return cut_middle(clean(text), columns, style_.unicode);
  }

  // Wrapped lines; the first line starts with `mark`.
  void paragraph(const std::string& text, std::size_t indent, Ink ink, const std::string& mark = "",
                 Ink mark_ink = Ink::kPlain) {
    bool is_first = true;
    for (const std::string& part : wrap(clean(text), width_ - indent)) {
      const std::size_t mark_columns = is_first ? columns_of(mark) : 0;
      std::string front(indent - std::min(indent, mark_columns + (mark_columns > 0 ? 1 : 0)), ' ');
      if (is_first && !mark.empty()) front += inked(mark, mark_ink) + " ";
      line(front + inked(part, ink));
      is_first = false;
    }
  }

  void health() {
    using analysis::HealthVerdict;
    constexpr std::size_t kBehindMark = kMargin + 3;
    const auto remarks = health_on_page(document_);
    if (remarks.empty()) return;
    paragraph("this recording is " + analysis::verdict_text(*document_.health), kMargin,
              Ink::kBold);
    for (const analysis::HealthRemark& remark : remarks) {
      const bool forbids = remark.verdict == HealthVerdict::kNotFor;
      const bool is_note = remark.verdict == HealthVerdict::kComplete;
      const std::string mark = forbids ? "!!" : is_note ? (style_.unicode ? "·" : "-") : "!";
      paragraph(remark.seen, kBehindMark, Ink::kPlain, mark,
                forbids   ? Ink::kRed
                : is_note ? Ink::kDim
                          : Ink::kYellow);
      paragraph(remark.consequence, kBehindMark + 2, Ink::kDim);
      advice(remark.advice, kBehindMark);
    }
    line("");
  }

  void facts() {
    std::size_t label_columns = 0;
    for (const Fact& fact : document_.facts) {
      label_columns = std::max(label_columns, columns_of(fact.label));
    }
    const std::size_t indent = kMargin + label_columns + 2;
    for (const Fact& fact : document_.facts) {
      std::string label = std::string(kMargin, ' ') + fact.label;
      label.append(indent - columns_of(label), ' ');
      if (fact.is_long) {
        const auto lines = wrap(clean(cell_text(fact.value)), width_ - indent);
        for (std::size_t i = 0; i < lines.size(); ++i) {
          line((i == 0 ? inked(label, Ink::kDim) : std::string(indent, ' ')) + lines[i]);
        }
        continue;
      }
      const std::string value = fitted(cell_text(fact.value, document_.unit), width_ - indent);
      const std::string remark = clean(fact.remark);
      const std::size_t used = indent + columns_of(value) + 2;
      if (remark.empty() || used + columns_of(remark) <= width_) {
        line(inked(label, Ink::kDim) + value +
             (remark.empty() ? "" : "  " + inked(remark, Ink::kDim)));
      } else {
        line(inked(label, Ink::kDim) + value);
        paragraph(remark, indent, Ink::kDim);
      }
    }
  }

  void finding(const Finding& finding) {
    constexpr std::size_t kBehindMark = kMargin + 3;
    const bool matters = finding.weight == FindingWeight::kMatters;
    const bool is_note = finding.weight == FindingWeight::kNote;
    const std::string mark = matters ? "!!" : is_note ? (style_.unicode ? "·" : "-") : "!";
    paragraph(finding.headline, kBehindMark, matters ? Ink::kBold : Ink::kPlain, mark,
              matters   ? Ink::kRed
              : is_note ? Ink::kDim
                        : Ink::kYellow);
    for (const std::string& seen : finding.against) {
      paragraph("against: " + seen, kBehindMark + 2, Ink::kDim);
    }
    advice(finding.advice, kBehindMark);
  }

  // What the marks of findings mean.
  void marks() {
    const std::string key = style_.unicode ? "!! matters  ! worth a look  · a note  → what to try"
                                           : "!! matters  ! worth a look  - a note  -> what to try";
    const std::size_t indent = kMargin + 3;
    if (indent + columns_of(key) > width_) return;
    line("");
    line(std::string(indent, ' ') + inked(key, Ink::kDim));
  }

  void advice(const std::string& text, std::size_t indent) {
    if (text.empty()) return;
    const std::string arrow = style_.unicode ? "→" : "->";
    paragraph(text, indent + columns_of(arrow) + 1, Ink::kPlain, arrow, Ink::kAccent);
  }

  void arguments(const std::vector<Argument>& arguments) {
    constexpr std::size_t kBehindMark = kMargin + 3;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const Argument& argument = arguments[i];
      paragraph(argument.claim, kBehindMark, Ink::kBold, std::to_string(i + 1) + ".", Ink::kAccent);
      for (const std::string& seen : argument.in_favour) {
        paragraph(seen, kBehindMark + 2, Ink::kPlain, "+", Ink::kAccent);
      }
      for (const std::string& seen : argument.against) {
        paragraph(seen, kBehindMark + 2, Ink::kPlain, "-", Ink::kYellow);
      }
      advice(argument.advice, kBehindMark);
    }
  }

  void findings() {
    if (document_.findings.empty()) return;
    heading("Findings");
    const std::size_t shown = std::min(document_.findings.size(), document_.findings_on_page);
    for (std::size_t i = 0; i < shown; ++i) finding(document_.findings[i]);
    if (const std::size_t more = document_.findings.size() - shown; more > 0) {
      paragraph(ellipsis() + " " + std::to_string(more) + " of less weight (-v shows " +
                    (more == 1 ? "it)" : "them)"),
                kMargin + 3, Ink::kDim);
    }
    marks();
  }

  std::string ellipsis() const { return style_.unicode ? "…" : "..."; }

  void heading(const std::string& title) {
    const std::string dash = style_.unicode ? "─" : "-";
    const std::string text = fitted(title, width_ - 6);
    const std::size_t rest = width_ - columns_of(text) - 4;
    line("");
    line(inked(dash + dash, Ink::kAccent) + " " + inked(text, Ink::kBold) + " " +
         inked(repeated(dash, rest), Ink::kAccent));
  }

  void section(const Section& section) {
    heading(section.title);
    if (!section.lead.empty()) paragraph(section.lead, kMargin, Ink::kDim);
    arguments(section.arguments);
    for (const std::string& point : section.points) {
      paragraph(point, kMargin + 2, Ink::kPlain, style_.unicode ? "·" : "-", Ink::kAccent);
    }
    if (!section.picture.empty()) line("");
    for (const std::string& drawn : section.picture) line(std::string(kMargin, ' ') + drawn);
    const bool is_table_below = !section.lead.empty() || !section.picture.empty();
    if (is_table_below && !section.table.rows.empty()) line("");
    if (!section.table.rows.empty()) table(section.table);
    const std::string& left_out = section.table.left_out;
    if (!left_out.empty()) paragraph(ellipsis() + " " + left_out, kMargin, Ink::kDim);
    for (const std::string& note : section.notes) paragraph(note, kMargin, Ink::kDim);
    for (const std::string& warning : section.warnings) {
      paragraph(warning, kMargin, Ink::kPlain, "!", Ink::kYellow);
    }
  }

  std::string aligned(const std::string& text, std::size_t columns, bool right) const {
    const std::size_t used = columns_of(text);
    const std::string pad(columns - std::min(columns, used), ' ');
    return right ? pad + text : text + pad;
  }

  static bool is_nothing(const Cell& cell) {
    const auto* duration = std::get_if<Duration>(&cell);
    return std::holds_alternative<Absent>(cell) ||
           (duration != nullptr && duration->duration_ns == 0);
  }

  // Faster and slower have colours; wrong or missing cells are dimmed.
  static Ink ink_of(const Measure& measure) {
    constexpr double kBand = 2;  // percent around 100 without colour
    if (measure.mark == Mark::kMissing || measure.mark == Mark::kWrong) return Ink::kDim;
    if (!measure.percent || measure.mark == Mark::kSame) return Ink::kPlain;
    if (*measure.percent > 100 + kBand) return Ink::kAccent;
    return *measure.percent < 100 - kBand ? Ink::kWarm : Ink::kPlain;
  }

  static bool is_number(ColumnType type) {
    return type != ColumnType::kText && type != ColumnType::kName && type != ColumnType::kBar;
  }

  std::string bar(double share, double full, std::size_t columns) const {
    if (full <= 0 || share <= 0) return "";
    const double length = std::min(1.0, share / full) * static_cast<double>(columns);
    if (!style_.unicode) {
      return std::string(std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(length))),
                         '#');
    }
    constexpr std::string_view kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const auto eighths =
        std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(length * 8)));
    return repeated("█", eighths / 8) + std::string(kEighths[eighths % 8]);
  }

  // In a balanced column the whole is the full bar; elsewhere the largest row has the longest bar.
  static double full_bar(const Table& table, std::size_t column) {
    if (table.columns[column].balanced) return 1;
    double full = 0;
    for (const Row& row : table.rows) {
      if (const auto* share = std::get_if<Share>(&row.cells[column])) {
        full = std::max(full, share->share);
      }
    }
    return full;
  }

  void table_header(const Table& table, const TableLayout& layout) {
    std::size_t height = 0;
    for (const LaidColumn& column : layout.columns) {
      height = std::max(height, header_lines(table.columns[column.index]).size());
    }
    for (std::size_t level = 0; level < height; ++level) {
      std::string text;
      for (const LaidColumn& laid : layout.columns) {
        const Column& column = table.columns[laid.index];
        const std::vector<std::string> lines = header_lines(column);
        const std::size_t above = height - lines.size();  // headers are aligned to the bottom
        const std::string part = level < above ? "" : lines[level - above];
        if (!text.empty()) text += std::string(kColumnGap, ' ');
        text += aligned(cut_middle(part, laid.width, style_.unicode), laid.width,
                        is_number(column.type));
      }
      while (!text.empty() && text.back() == ' ') text.pop_back();
      line(std::string(kMargin, ' ') + inked(text, Ink::kDim));
    }
  }

  std::string table_cell(const Table& table, const Row& row, const std::string& text,
                         const LaidColumn& laid, double full_bar_share) const {
    const Column& column = table.columns[laid.index];
    if (column.type == ColumnType::kBar) {
      const auto* share = std::get_if<Share>(&row.cells[laid.index]);
      const std::string drawn =
          share == nullptr ? "" : bar(share->share, full_bar_share, laid.width);
      const std::string pad(laid.width - std::min(laid.width, columns_of(drawn)), ' ');
      return inked(drawn, Ink::kAccent) + pad;
    }
    const bool is_words = column.type == ColumnType::kText;
    const std::string shown = is_words ? cut_middle(text, laid.width, style_.unicode) : text;
    const bool is_faint = row.style == RowStyle::kDetail || is_nothing(row.cells[laid.index]);
    const auto* measure = std::get_if<Measure>(&row.cells[laid.index]);
    const Ink ink = row.style == RowStyle::kTotal ? Ink::kBold
                    : measure != nullptr          ? ink_of(*measure)
                    : is_faint                    ? Ink::kDim
                                                  : Ink::kPlain;
    const std::string padded = aligned(shown, laid.width, is_number(column.type));
    if (measure == nullptr) return inked(padded, ink);
    const std::size_t at = padded.find_first_not_of(' ');
    if (at == padded.npos) return padded;
    const std::size_t end = padded.find_last_not_of(' ') + 1;
    return padded.substr(0, at) + inked(padded.substr(at, end - at), ink) + padded.substr(end);
  }

  // The names of a column fitted to its width; a row below another one is indented.
  void fit_column(const Table& table, const LaidColumn& laid,
                  std::vector<std::vector<std::string>>& texts) const {
    const bool has_indents = laid.index == name_column(table);
    std::vector<NameToFit> names;
    std::vector<std::size_t> indents;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      indents.push_back(has_indents ? std::min(kIndent * table.rows[i].indent, laid.width) : 0);
      names.push_back(
          {std::string_view(texts[i][laid.index]).substr(indents[i]), laid.width - indents[i]});
    }
    const std::vector<std::string> fitted = fit_names(names, style_.unicode);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      texts[i][laid.index] = std::string(indents[i], ' ') + fitted[i];
    }
  }

  void table(const Table& table) {
    std::vector<std::vector<std::string>> texts = table_texts(table, document_.unit);
    const std::size_t names = name_column(table);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      for (std::string& text : texts[i]) text = clean(text);
      if (names < texts[i].size()) texts[i][names].insert(0, kIndent * table.rows[i].indent, ' ');
    }
    const TableLayout layout = lay_out(table, texts, width_ - kMargin);
    for (const LaidColumn& laid : layout.columns) {
      if (table.columns[laid.index].type == ColumnType::kName) fit_column(table, laid, texts);
    }
    std::vector<double> full_bars;
    for (const LaidColumn& laid : layout.columns) full_bars.push_back(full_bar(table, laid.index));
    table_header(table, layout);
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      std::string text(kMargin, ' ');
      for (std::size_t c = 0; c < layout.columns.size(); ++c) {
        if (c > 0) text += std::string(kColumnGap, ' ');
        const LaidColumn& laid = layout.columns[c];
        text += table_cell(table, table.rows[i], texts[i][laid.index], laid, full_bars[c]);
      }
      line(text);
    }
    if (!layout.left_out.empty()) {
      std::string text = "left out at this width: ";
      for (std::size_t i = 0; i < layout.left_out.size(); ++i) {
        text += (i > 0 ? ", " : "") + layout.left_out[i];
      }
      paragraph(text, kMargin, Ink::kDim);
    }
  }

  const Document& document_;
  const TextStyle style_;
  const std::size_t width_;
  std::string out_;
};

}  // namespace

std::string render_text(const Document& document, const TextStyle& style) {
  return TextPage(document, style).render();
}

}  // namespace strobe::report
