"""Screens of real applications with the boxes that their accessibility trees give: held-out for good.

Usage: dbus-run-session -- real_screens.py OUT_DIR WIDTH HEIGHT     (needs Xvfb, openbox, at-spi2-core, ImageMagick,
python3-pyatspi and the applications below). Writes NAME.png and NAME.json: [{name, role, box in px of the picture}].
"""
import ctypes
import json
import os
import subprocess
import sys
import time

APPLICATIONS = {
    "mousepad": ["mousepad", "notes.txt"], "galculator": ["galculator"], "mate-calc": ["mate-calc"], "featherpad": ["featherpad", "notes.txt"],
    "pcmanfm": ["pcmanfm", "."], "lxtask": ["lxtask"], "geany": ["geany", "-i", "notes.txt"], "gucharmap": ["gucharmap"],
    "zenity-question": ["zenity", "--question", "--text=Replace the file report.pdf?"],
    "zenity-entry": ["zenity", "--entry", "--title=Rename", "--text=New name of the folder"],
    "zenity-list": ["zenity", "--list", "--title=Choose a city", "--column=City", "--column=Country", "Lisbon", "Portugal", "Vienna", "Austria", "Oslo", "Norway"],
    "zenity-forms": ["zenity", "--forms", "--title=New contact", "--text=Contact", "--add-entry=First name", "--add-entry=Surname", "--add-entry=Phone"],
    "zenity-file": ["zenity", "--file-selection"], "zenity-calendar": ["zenity", "--calendar"],
}
ROLES = {"push button", "toggle button", "check box", "radio button", "menu", "menu item", "page tab", "table cell", "list item", "label", "text", "combo box",
         "table column header", "check menu item", "icon", "entry", "link"}


def harvest(node, found, depth=0):
    import pyatspi
    for child in node:
        if child is None or depth > 25:
            continue
        states = child.getState()
        if not states.contains(pyatspi.STATE_SHOWING):
            continue
        role, name = child.getRoleName(), (child.name or "").strip()
        if role in ROLES and name and "\n" not in name:
            box = child.queryComponent().getExtents(pyatspi.DESKTOP_COORDS)
            found.append({"name": name, "role": role, "box": [box.x, box.y, box.width, box.height]})
        harvest(child, found, depth + 1)


def tree_of(process):
    import pyatspi
    found = []
    for application in pyatspi.Registry.getDesktop(0):
        if application is not None and application.get_process_id() == process.pid:
            harvest(application, found)
    return found


def settled_tree(process):
    """The tree once it has stopped growing."""
    last = []
    for _ in range(20):
        time.sleep(0.5)
        found = tree_of(process)
        if found and found == last:
            break
        last = found
    return last


def move_pointer(display, x, y):
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = x11.XDefaultRootWindow.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(x11.XOpenDisplay(display.encode()))
    x11.XWarpPointer(connection, None, ctypes.c_void_p(x11.XDefaultRootWindow(connection)), 0, 0, 0, 0, x, y)
    x11.XCloseDisplay(connection)


def start_server(display, width, height):
    """A private X server, and an environment in which applications show their trees."""
    server = subprocess.Popen(["Xvfb", display, "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp"], stderr=subprocess.DEVNULL)
    os.environ.update(DISPLAY=display, GTK_MODULES="gail:atk-bridge", QT_ACCESSIBILITY="1", QT_LINUX_ACCESSIBILITY_ALWAYS_ON="1", GDK_BACKEND="x11", LANG="C.UTF-8", NO_AT_BRIDGE="0")
    for _ in range(100):
        if os.path.exists(f"/tmp/.X11-unix/X{display[1:]}"):
            return server
        time.sleep(0.1)
    raise RuntimeError(f"no X server came up on {display}")


def main(out, width, height):
    display = ":77"
    os.makedirs(out, exist_ok=True)
    server = start_server(display, width, height)
    manager = subprocess.Popen(["openbox"], stderr=subprocess.DEVNULL)
    subprocess.run(["xsetroot", "-solid", "#406080"], check=False)
    move_pointer(display, width - 1, height - 1)  # no tool tip comes up over what is asked for
    work = os.path.join(out, "work")
    os.makedirs(work, exist_ok=True)
    for name, text in (("notes.txt", "Buy apples and bread\nCall Martin at noon\nWater the garden\n"), ("report.md", "# Report\n"), ("budget.csv", "a,b\n1,2\n")):
        with open(os.path.join(work, name), "w") as file:
            file.write(text)
    for name, command in APPLICATIONS.items():
        process = subprocess.Popen(command, cwd=work, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        before = settled_tree(process)
        subprocess.run(["import", "-silent", "-window", "root", f"PNG24:{out}/{name}.png"], check=True)
        after = tree_of(process)
        items = [item for item in before if item in after]  # live figures change while the picture is taken
        kept = [i for i in items if i["box"][2] > 3 and i["box"][3] > 3 and i["box"][0] >= 0 and i["box"][1] >= 0 and i["box"][0] + i["box"][2] <= width and i["box"][1] + i["box"][3] <= height]
        with open(f"{out}/{name}.json", "w") as file:
            json.dump({"width": width, "height": height, "items": kept}, file, indent=1)
        print(name, len(before), len(kept), flush=True)
        process.kill()
        process.wait()
        time.sleep(0.5)
    for process in (manager, server):
        process.terminate()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
