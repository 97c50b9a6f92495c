#include "strobe/report/render/html_page.h"

#include "strobe/report/render/display_text.h"

namespace strobe::report {
namespace {

constexpr std::string_view kStyle = R"css(
:root{color-scheme:light dark;
--page:#f6f7f8;--card:#fff;--ink:#1b1f24;--soft:#5a6470;--rule:#d9dee3;--grid:#e8ebee;
--n:#1f66ad;--a:#c2481a;--wash:#f2c9b4;--warm:194,72,26;--cold:31,102,173}
@media (prefers-color-scheme:dark){:root{
--page:#101316;--card:#181c20;--ink:#e7eaed;--soft:#9aa5b1;--rule:#323a42;--grid:#262c32;
--n:#7db4ee;--a:#f29a66;--wash:#5a3423;--warm:242,154,102;--cold:125,180,238}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main{max-width:1240px;margin:0 auto;padding:28px 20px 48px}
.tool{margin:0;color:var(--soft);font-size:13px;letter-spacing:.04em}
h1{margin:2px 0 14px;font-size:26px;line-height:1.2;font-weight:650}
h2{margin:0 0 8px;font-size:17px;font-weight:650}
h3{margin:0 0 4px;font-size:15px;font-weight:600}
section,figure{margin:16px 0 0;padding:18px 20px;background:var(--card);
border:1px solid var(--rule);border-radius:10px}
.runs{display:grid;grid-template-columns:1fr 1fr;gap:12px;margin:0}
.runs div{padding:10px 14px;background:var(--card);border:1px solid var(--rule);
border-left:4px solid var(--n);border-radius:8px;min-width:0}
.runs .abnormal{border-left-color:var(--a);border-left-style:double;border-left-width:6px}
dt{font-weight:600}dd{margin:0;overflow-wrap:anywhere}
dd span{display:block;color:var(--soft);font-size:13px}
.verdict{border-left:6px solid var(--soft)}
.verdict h2{font-size:21px}.verdict p{margin:4px 0;font-size:16px}
.verdict.slower,.verdict.shifted{border-left-color:var(--a)}
.verdict.faster{border-left-color:var(--n)}
.lead,.note,figcaption{color:var(--soft);font-size:13.5px}
.lead{margin:0 0 10px}.note{margin:8px 0 0}
figcaption{margin-top:8px}
.arguments{margin:0;padding-left:22px}.arguments>li{margin:0 0 14px}
.arguments ul{margin:0;padding:0;list-style:none}
.arguments ul li{padding-left:20px;position:relative}
.for::before,.against::before{position:absolute;left:2px;font-weight:700}
.for::before{content:"+"}.against::before{content:"\2212";color:var(--a)}
.points{margin:0;padding-left:20px}.points li{margin:0 0 4px}
.advice{margin:6px 0 0;padding-left:20px;position:relative}
.advice::before{content:"\2192";position:absolute;left:0;color:var(--n);font-weight:700}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:13.5px;font-variant-numeric:tabular-nums}
th,td{padding:4px 10px 4px 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--grid);
white-space:nowrap}
th{color:var(--soft);font-weight:600;white-space:normal;vertical-align:bottom}
.r{text-align:right}.r+td:not(.r),.r+th:not(.r){padding-left:8px}
td.name{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;
font-size:12.5px;white-space:normal;overflow-wrap:anywhere;min-width:200px}
td.name summary{cursor:pointer;list-style:none;text-decoration:underline dotted var(--soft)}
td.name summary::-webkit-details-marker{display:none}
.sortable th{cursor:pointer;user-select:none}
th[aria-sort=ascending]::after{content:" \25B2"}th[aria-sort=descending]::after{content:" \25BC"}
tr.changed td.name,tr.changed td:first-child,tr.changed td:last-child{font-weight:600}
svg{display:block;width:100%;height:auto;font:12px system-ui,-apple-system,"Segoe UI",Roboto,
"Noto Sans",sans-serif;fill:var(--ink)}
.tick{fill:var(--soft);font-size:11.5px}.label{fill:var(--soft)}
.heading{font-weight:600;font-size:13px}
.name{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:11.5px}
.grid{stroke:var(--grid)}.axis{stroke:var(--soft)}
.limit{stroke:var(--soft);stroke-dasharray:4 4}.leader{stroke:var(--soft);stroke-width:.8}
circle.n{fill:var(--card);stroke:var(--n);stroke-width:2}
path.a{fill:var(--a);stroke:var(--card);stroke-width:.8}
.median{stroke-width:3}line.median.n{stroke:var(--n)}line.median.a{stroke:var(--a)}
.interval{fill:var(--wash);stroke:var(--a);stroke-width:1;stroke-dasharray:3 2;fill-opacity:.55}
.pair{stroke:var(--soft);stroke-width:1.5}
.same{fill:var(--card);stroke:var(--soft);stroke-width:1.3}
.busy{fill:var(--n);fill-opacity:.35;stroke:var(--n);stroke-width:.8}
.partial{fill:url(#hatch);stroke-dasharray:2 2}
.clock{fill:none;stroke:var(--a);stroke-width:2.4}
.cycle{stroke:var(--rule);stroke-dasharray:1 3}
.heat{stroke:var(--rule)}.heat.sure{stroke:var(--ink);stroke-width:2}
.warm0,.cold0{fill:transparent}
.warm1{fill:rgba(var(--warm),.15)}.warm2{fill:rgba(var(--warm),.3)}
.warm3{fill:rgba(var(--warm),.4)}.warm4{fill:rgba(var(--warm),.55)}
.cold1{fill:rgba(var(--cold),.15)}.cold2{fill:rgba(var(--cold),.3)}
.cold3{fill:rgba(var(--cold),.4)}.cold4{fill:rgba(var(--cold),.55)}
.cell{font-size:11.5px}
table.heatmap{width:auto}
table.heatmap td,table.heatmap th{padding:3px 8px;text-align:right;border:1px solid var(--grid)}
td.warm1{background:rgba(var(--warm),.12)}td.warm2{background:rgba(var(--warm),.26)}
td.warm3{background:rgba(var(--warm),.42)}td.warm4{background:rgba(var(--warm),.6)}
td.cold1{background:rgba(var(--cold),.12)}td.cold2{background:rgba(var(--cold),.26)}
td.cold3{background:rgba(var(--cold),.42)}td.cold4{background:rgba(var(--cold),.6)}
td.gone{color:var(--soft)}td s{color:var(--soft)}
.scale{display:flex;flex-wrap:wrap;gap:0;margin:10px 0 0;font-size:12px;color:var(--soft)}
.scale span{padding:2px 10px;border:1px solid var(--grid)}
.warning{margin:10px 0 0;padding:8px 12px;border-left:4px double var(--a)}
.warning b{color:var(--a)}
.heat-w1{background:rgba(var(--warm),.12)}.heat-w2{background:rgba(var(--warm),.26)}
.heat-w3{background:rgba(var(--warm),.42)}.heat-w4{background:rgba(var(--warm),.6)}
.heat-c1{background:rgba(var(--cold),.12)}.heat-c2{background:rgba(var(--cold),.26)}
.heat-c3{background:rgba(var(--cold),.42)}.heat-c4{background:rgba(var(--cold),.6)}
@media (max-width:720px){.runs{grid-template-columns:1fr}figure{overflow-x:auto}svg{min-width:760px}}
@media print{:root{color-scheme:light;--page:#fff;--card:#fff;--ink:#000;--soft:#444;--rule:#bbb;
--grid:#ddd;--n:#1f66ad;--a:#a83c12;--wash:#f2c9b4;--warm:194,72,26;--cold:31,102,173}
main{max-width:none;padding:0}section,figure{border:0;padding:8px 0}
figure,.arguments>li,tr{break-inside:avoid}h2{break-after:avoid}}
)css";

// The hatching of partial cycles, for every picture of the page.
constexpr std::string_view kPatterns =
    "<svg width=\"0\" height=\"0\" style=\"position:absolute\" aria-hidden=\"true\"><defs><pattern "
    "id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\"><line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"6\" "
    "stroke=\"currentColor\" stroke-width=\"1.6\" stroke-opacity=\".6\"/></pattern></defs></svg>\n";

constexpr std::string_view kEnd = R"html(</main>
<script>
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  const key = (row, i) => row.cells[i].dataset.v ?? row.cells[i].textContent;
  const order = (a, b) => {
    const x = parseFloat(a), y = parseFloat(b);
    return isNaN(x) || isNaN(y) ? (isNaN(x) - isNaN(y)) || a.localeCompare(b) : x - y;
  };
  heads.forEach((head, i) => head.addEventListener("click", () => {
    const up = head.getAttribute("aria-sort") !== "ascending";
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    body.append(...[...body.rows].sort((a, b) => order(key(a, i), key(b, i)) * (up ? 1 : -1)));
  }));
}
</script>
</body>
</html>
)html";

}  // namespace

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string html_page_begin(std::string_view title) {
  std::string out =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
      "name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>";
  out += html_text(title);
  out += "</title>\n<style>";
  out += kStyle;
  out += "</style>\n</head>\n<body>\n";
  out += kPatterns;
  out += "<main>\n";
  return out;
}

std::string_view html_page_end() { return kEnd; }

}  // namespace strobe::report
