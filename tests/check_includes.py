#!/usr/bin/env python3
"""Checks that each module includes only what the architecture lets it include. Usage: check_includes.py SOURCE_DIR"""
import pathlib
import re
import sys

MODULES = ("inference", "capture", "tools", "agent", "app")
# Our own modules that a module may include (beside itself).
ALLOWED = {
    "inference": set(),
    "capture": set(),
    "tools": {"capture"},
    "agent": {"tools", "capture", "inference"},
    "app": {"agent", "tools", "capture", "inference"},
}
# The engine's public face: all that agent may see of it.
PUBLIC_INFERENCE = {"engine.h", "session.h", "prompt.h", "tokenizer.h"}
FORBIDDEN = {
    "inference": r"^(Q[A-Z]\w*|Qt\w*/.*|opencv2/.*|X11/.*|curl/.*|sqlite3\.h)$",
    "capture": r"^(curl/.*|sqlite3\.h|QtWidgets.*|QWidget|QApplication|QDBus.*)$",
    "tools": r"^(sqlite3\.h|QtWidgets.*|QWidget|QApplication)$",
    "agent": r"^(QtWidgets.*|QWidget|QApplication|X11/.*|opencv2/.*)$",
    "app": r"^$",
}
CUDA = re.compile(r"^(cuda|cublas|cutlass|mma\.h)")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def problems(root):
    for module in MODULES:
        for path in sorted((root / module).rglob("*")):
            if path.suffix not in (".h", ".cpp", ".cu", ".cuh"):
                continue
            relative = path.relative_to(root)
            if str(relative).startswith("inference/training/"):  # the laboratory, no part of the product
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                name = match.group(2)
                where = f"{relative}:{number}: {name}"
                first = name.split("/")[0]
                if first in MODULES and "/" in name:
                    if first != module and first not in ALLOWED[module]:
                        yield f"{where}: {module} must not include {first}"
                    if module == "agent" and first == "inference" and name.split("/", 1)[1] not in PUBLIC_INFERENCE:
                        yield f"{where}: agent sees only {', '.join(sorted(PUBLIC_INFERENCE))} of inference"
                elif match.group(1) == '"' and not (root / name).exists():
                    yield f"{where}: include by the path from the project's root"
                elif re.match(FORBIDDEN[module], name):
                    yield f"{where}: not allowed in {module}"
                if CUDA.match(name) and not str(relative).startswith("inference/ops/cuda/"):
                    yield f"{where}: CUDA only under inference/ops/cuda/"


def main():
    found = list(problems(pathlib.Path(sys.argv[1])))
    print("\n".join(found) if found else "every include follows the architecture")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
