#!/usr/bin/env python3
"""Builds the wheel of strobe's Python package with CMake; the build backend of pyproject.toml, and `make wheel`.

The module is built in build/, where `make` builds the binary, so that both share their objects.
STROBE_CORE=FILE takes a module that is built already.

    python/build_wheel.py [FOLDER]      writes FOLDER/strobe-<version>-cp311-abi3-<platform>.whl (dist/)
"""
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODULE = "_core.abi3.so"


def version():
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"project\(strobe VERSION ([\d.]+)", text).group(1)


def build_module():
    """The path of the module, which is built unless STROBE_CORE names it."""
    if os.environ.get("STROBE_CORE"):
        return pathlib.Path(os.environ["STROBE_CORE"])
    build = ROOT / "build"
    if not (build / "build.ninja").is_file():
        subprocess.run(["cmake", "--preset", "release"], cwd=ROOT, check=True, stdout=sys.stderr)
    done = subprocess.run(["cmake", "--build", build, "--target", "strobe_core"], stdout=sys.stderr)
    if done.returncode != 0:
        raise SystemExit("strobe: the module cannot be built\n"
                         "  hint: `tools/setup --with-python` installs what it needs, Python's headers among it")
    return build / "python" / "strobe" / MODULE


def tag():
    return f"cp311-abi3-{re.sub('[-.]', '_', sysconfig.get_platform())}"


def metadata_files():
    """What describes the package: name in the wheel to content."""
    folder = f"strobe-{version()}.dist-info"
    head = [("Metadata-Version", "2.1"), ("Name", "strobe"), ("Version", version()),
            ("Summary", "Performance analysis for AI accelerators: traces as tables, summaries and comparisons"),
            ("License", "Apache-2.0"), ("Requires-Python", ">=3.11")]
    wheel = [("Wheel-Version", "1.0"), ("Generator", "strobe"), ("Root-Is-Purelib", "false"), ("Tag", tag())]
    text = {"METADATA": head, "WHEEL": wheel}
    files = {f"{folder}/{name}": "".join(f"{key}: {value}\n" for key, value in lines).encode()
             for name, lines in text.items()}
    files[f"{folder}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    return files


def package_files():
    sources = sorted((ROOT / "python" / "strobe").iterdir())
    files = {f"strobe/{path.name}": path.read_bytes() for path in sources
             if path.suffix in {".py", ".pyi"} or path.name == "py.typed"}
    files[f"strobe/{MODULE}"] = build_module().read_bytes()
    return files


def record_of(files, name):
    def line(path, content):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        return f"{path},sha256={digest},{len(content)}\n"
    return "".join(line(path, content) for path, content in files.items()) + f"{name},,\n"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """The hook of PEP 517."""
    files = {**package_files(), **metadata_files()}
    record = f"strobe-{version()}.dist-info/RECORD"
    files[record] = record_of(files, record).encode()
    name = f"strobe-{version()}-{tag()}.whl"
    folder = pathlib.Path(wheel_directory)
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            # One date for all files: equal content makes equal wheels.
            entry = zipfile.ZipInfo(path, date_time=(1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o755 if path.endswith(".so") else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
    return name


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "dist")
    print(target / build_wheel(target))
