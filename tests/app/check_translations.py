#!/usr/bin/env python3
"""Checks that every text of the window is translated. Usage: check_translations.py SOURCE_DIR LUPDATE"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree


def problems(root, lupdate):
    with tempfile.TemporaryDirectory() as folder:
        for original in sorted((root / "resources/translations").glob("deskhand_*.ts")):
            language = original.stem.removeprefix("deskhand_")
            copy = pathlib.Path(folder) / original.name
            shutil.copy(original, copy)
            plural = ["-pluralonly"] if language == "en" else []  # English is what stands in the sources
            subprocess.run([lupdate, "-silent", "-I", ".", "-locations", "none", "-no-obsolete", *plural, "app/window",
                            "-ts", str(copy)], cwd=root, check=True, stdout=subprocess.DEVNULL)
            for context in ElementTree.parse(copy).getroot().iter("context"):
                for message in context.iter("message"):
                    translation = message.find("translation")
                    forms = [form.text for form in translation.iter("numerusform")] or [translation.text]
                    source = message.find("source").text
                    where = f"{language}: {context.find('name').text}: {source!r}"
                    if translation.get("type") or not all(forms):
                        yield f"{where} is not translated"
                    for place in ("%1", "%2", "%3"):
                        if place in source and not all(place in form for form in forms if form):
                            yield f"{where} lost its {place}"


def doctors_problems(root):
    """The doctor writes English; the window knows each of its sentences."""
    literal = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
    known = " ".join(literal.findall((root / "app/window/doctor_words.cpp").read_text())) + " ".join(
        literal.findall((root / "app/window/machine_check.cpp").read_text()))
    for said in literal.findall((root / "app/doctor_checks.cpp").read_text()):
        part = said.strip().replace("%.1f", "%1")
        if " " in part and part != "echo works" and part not in known:
            yield f"the doctor's {part!r} is missing in doctor_words.cpp"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    found = list(problems(root, sys.argv[2])) + list(doctors_problems(root))
    print("\n".join(found) if found else "every text is translated")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
