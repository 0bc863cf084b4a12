"""Screens of real applications for training: real_applications.py OUT_DIR WIDTH HEIGHT SEED MINUTES [APPLICATION ...]

None of them is one of real_screens.py's, which are held out. Run it as a plain user without network under dbus-run-session; needs
Xvfb, openbox, at-spi2-core, python3-pyatspi, python3-xlib, python3-pil, python3-numpy and as many of the applications and themes as there
are. Writes APPLICATION.LAUNCH.SHOT.png (896×504) and .json with labels as the screen generator's (real_labels.py).
"""
import collections
import glob
import json
import os
import pathlib
import random as random_module
import re
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
from PIL import Image

from questions import WIDTH
from real_labels import Letters, applications, checked, labels_of, scaled
from real_screens import move_pointer, start_server

TEXT_FILE, FOLDER, PICTURE, SHEET, PAGE, ARCHIVE = "@text", "@folder", "@picture", "@sheet", "@page", "@archive"  # replaced by a path
APPLICATIONS = {
    "gedit": ["gedit", TEXT_FILE], "l3afpad": ["l3afpad", TEXT_FILE], "pluma": ["pluma", TEXT_FILE],
    "thunar": ["thunar", FOLDER], "caja": ["caja", "--no-desktop", "--browser", FOLDER], "nemo": ["nemo", FOLDER], "pcmanfm-qt": ["pcmanfm-qt", FOLDER],
    "ristretto": ["ristretto", PICTURE], "eom": ["eom", PICTURE], "gpicview": ["gpicview", PICTURE], "viewnior": ["viewnior", PICTURE], "lximage-qt": ["lximage-qt", PICTURE],
    "atril": ["atril", PAGE], "evince": ["evince", PAGE], "qpdfview": ["qpdfview", PAGE], "xarchiver": ["xarchiver", ARCHIVE], "engrampa": ["engrampa", ARCHIVE],
    "file-roller": ["file-roller", ARCHIVE], "qalculate-gtk": ["qalculate-gtk"], "speedcrunch": ["speedcrunch"],
    "kcalc": ["kcalc"], "qterminal": ["qterminal"], "sakura": ["sakura"], "xfce4-terminal": ["xfce4-terminal", "--disable-server"], "lxterminal": ["lxterminal"],
    "mate-terminal": ["mate-terminal", "--disable-factory"], "gnome-disks": ["gnome-disks"], "baobab": ["baobab"], "gnome-system-monitor": ["gnome-system-monitor"],
    "mate-system-monitor": ["mate-system-monitor"], "xfce4-taskmanager": ["xfce4-taskmanager"], "dconf-editor": ["dconf-editor"], "d-feet": ["d-feet"],
    "gtk3-demo": ["gtk3-demo"], "gtk3-widget-factory": ["gtk3-widget-factory"], 
    "glade": ["glade"], "assistant": ["/usr/lib/qt5/bin/assistant"], "designer": ["/usr/lib/qt5/bin/designer"], "designer6": ["/usr/lib/qt6/bin/designer"],
    "linguist": ["/usr/lib/qt5/bin/linguist"], "lxappearance": ["lxappearance"], "xfce4-appearance": ["xfce4-appearance-settings"],
    "xfce4-mouse": ["xfce4-mouse-settings"], "xfce4-keyboard": ["xfce4-keyboard-settings"], "xfce4-accessibility": ["xfce4-accessibility-settings"],
    "pavucontrol": ["pavucontrol"], "pavucontrol-qt": ["pavucontrol-qt"], "galternatives": ["galternatives"], "hexchat": ["hexchat", "--no-auto"],
    "transmission-gtk": ["transmission-gtk"], "transmission-qt": ["transmission-qt"], "qbittorrent": ["qbittorrent"], "gnumeric": ["gnumeric", SHEET], "abiword": ["abiword", TEXT_FILE],
    "sqlitebrowser": ["sqlitebrowser"], "meld": ["meld", TEXT_FILE, TEXT_FILE], "grsync": ["grsync"], 
    "gnome-mines": ["gnome-mines"], "gnome-sudoku": ["gnome-sudoku"], "gnome-chess": ["gnome-chess"],
    "obconf": ["obconf"], "lxqt-config-appearance": ["lxqt-config-appearance"], "lxqt-config-file-associations": ["lxqt-config-file-associations"], "juffed": ["juffed", TEXT_FILE], "kwrite": ["kwrite", TEXT_FILE], "focuswriter": ["focuswriter"],
    "texmaker": ["texmaker", TEXT_FILE], "xpad": ["xpad"], "gcolor3": ["gcolor3"], "cutemaze": ["cutemaze"], "gtkhash": ["gtkhash"], "catfish": ["catfish", FOLDER],
    "gigolo": ["gigolo"], "xfburn": ["xfburn"], "ghex": ["ghex", TEXT_FILE], "quodlibet": ["quodlibet"], "exfalso": ["exfalso", FOLDER], "claws-mail": ["claws-mail"], "hardinfo": ["hardinfo"],
    "kpat": ["kpat"], "ksudoku": ["ksudoku"], "kvantummanager": ["kvantummanager"], "xfce4-notifyd": ["xfce4-notifyd-config"],
    "yad-form": ["yad", "--form", "--title=@words", "--field=@words", "--field=@words", "--field=@words:CHK", "--field=@words:NUM", "--field=@words:CHK", "--field=@words:CB", "", "", "", "7", "", "@word!@word!@word"],
    "yad-list": ["yad", "--list", "--title=@words", "--column=@word", "--column=@word", "--column=@word", "--width=420", "--height=300"] + ["@word"] * 18,
    "yad-question": ["yad", "--question", "--title=@word", "--text=@sentence", "--button=@word", "--button=@word", "--button=@word"],
    "yad-checks": ["yad", "--list", "--checklist", "--title=@words", "--column=@word", "--column=@word", "--height=280"] + ["TRUE", "@words", "FALSE", "@words"] * 4,
}
OPENED = re.compile(r"^(about|preferences|properties|open|save as|find|replace|options|settings|configure|page setup|new|insert|view|go to|statistics|keyboard shortcuts)", re.I)


def words_for_training():
    """The generator's words without every sixth, which its examination keeps."""
    source = (pathlib.Path(__file__).parent / "screens/word_lists.h").read_text()
    lists = source[source.index("kLanguages[]"):source.index("kSyllables")]
    quoted = "".join(re.findall(r'"([^"]*)"(?:,?)', lists.split('below",')[0] + 'below"')).split()
    return [word for i, word in enumerate(quoted) if i % 6 != 5]


WORDS = words_for_training()


def words(random, fewest=1, most=3):
    text = " ".join(random.choice(WORDS) for _ in range(random.randint(fewest, most)))
    return random.choice([text, text.capitalize(), text.title()])


def sentence(random):
    return words(random, 3, 9).capitalize() + random.choice([".", "?", "!", "", f" {random.randint(1, 9999)}"])


class Home:
    """A user's folder: files with random names and the settings of all toolkits."""

    def __init__(self, random, path):
        self.random, self.path = random, path
        shutil.rmtree(path, ignore_errors=True)
        for folder in ("Documents", "Music", "Pictures", "Downloads", words(random), words(random, 1, 2)):
            os.makedirs(f"{path}/{folder}", exist_ok=True)
        self.folder = f"{path}/{random.choice(['Documents', 'Downloads', 'work'])}"
        os.makedirs(self.folder, exist_ok=True)
        for _ in range(random.randint(4, 18)):
            name = random.choice([" ", "_", "-"]).join(words(random, 1, 2).split())
            ending = random.choice(["", ".txt", ".md", ".csv", ".py", ".html", ".pdf", ".png", ".tar.gz", ".odt"])
            if ending:
                self.write(f"{self.folder}/{name}{ending}")
            else:
                os.makedirs(f"{self.folder}/{name}", exist_ok=True)

    def write(self, path):
        with open(path, "w") as file:
            file.write("\n".join(sentence(self.random) if self.random.random() < 0.85 else "" for _ in range(self.random.randint(1, 30))) + "\n")
        return path

    def named(self, ending):
        return f"{self.folder}/{'-'.join(words(self.random, 1, 2).split())}{ending}"

    def fill_in(self, argument):
        """The argument of a command with its placeholder replaced."""
        random = self.random
        if argument == TEXT_FILE:
            return self.write(self.named(random.choice([".txt", ".py", ".md", ".html", ".c"])))
        if argument == FOLDER:
            return self.folder
        if argument == PICTURE:
            path, size = self.named(".png"), (random.randint(120, 700), random.randint(100, 500))
            Image.new("RGB", size, tuple(random.randrange(256) for _ in range(3))).save(path)
            return path
        if argument == SHEET:
            path = self.named(".csv")
            with open(path, "w") as file:
                for _ in range(random.randint(5, 24)):
                    file.write(",".join(random.choice([words(random, 1, 2), str(random.randint(0, 99999)), f"{random.random() * 1000:.2f}"]) for _ in range(5)) + "\n")
            return path
        if argument == PAGE:
            path = self.named(".pdf")
            page = Image.new("RGB", (420, 594), "white")
            page.save(path)
            return path
        if argument == ARCHIVE:
            path = self.named(".zip")
            shutil.make_archive(path[:-4], "zip", self.path, os.path.basename(self.folder))
            return path
        argument = re.sub("@sentence", lambda _: sentence(random), argument)
        argument = re.sub("@words", lambda _: words(random), argument)
        return re.sub("@word", lambda _: words(random, 1, 1), argument)


def themes():
    return sorted({pathlib.Path(path).parents[1].name for path in glob.glob("/usr/share/themes/*/gtk-3.0/gtk.css")})


class Look:
    """How a launch looks: themes, icons, fonts; written where GTK, Qt and openbox read it."""

    FAMILIES = ["DejaVu Sans", "DejaVu Sans", "Cantarell", "Cantarell", "Noto Sans", "Roboto", "Open Sans", "Liberation Sans", "Inter", "Nimbus Sans", "DejaVu Sans Condensed", "Open Sans Condensed"]

    def __init__(self, random, scale):
        self.theme = random.choice(["Adwaita", "Adwaita", "Adwaita-dark"] + themes())
        self.icons = random.choice(["Adwaita", "Adwaita", "gnome", "mate", "elementary-xfce", "elementary-xfce-dark", "Faenza", "Tango", "menta", "breeze"])
        self.family = random.choice(self.FAMILIES)
        self.size = random.choice([8, 9, 10, 10, 10, 11, 11, 12]) if scale == 1 else random.choice([10, 11, 12, 12, 13])
        self.dpi = random.choice([96, 96, 96, 90, 102])
        self.antialias, self.hinting = random.random() < 0.93, random.choice(["hintnone", "hintslight", "hintslight", "hintfull"])
        self.subpixel = random.choice(["none", "none", "none", "rgb"])
        self.qt_style = random.choice(["Fusion", "Fusion", "Fusion", "Windows", "Breeze", "kvantum", "Adwaita", "Adwaita-Dark", "Plastique", "Cleanlooks"])
        self.qt_platform = random.choice(["gtk3", "gtk3", ""])
        self.openbox = random.choice(["Clearlooks", "Clearlooks-3.4", "Bear2", "Natura", "Onyx", "Mikachu", "Numix", "Greybird", "Breeze-ob", "TraditionalOk", "KvArc", "KvArcDark", "KvGnome", "YaruOk", "Orang", "Nightmare"])
        self.font_px = self.size * self.dpi / 72
        self.letters = Letters(self.family, {self.font_px, 12 * self.dpi / 96})  # Qt without GTK's settings has a size of its own

    def write(self, home):
        config = f"{home}/.config"
        settings = ["[Settings]", f"gtk-theme-name={self.theme}", f"gtk-icon-theme-name={self.icons}", f"gtk-font-name={self.family} {self.size}", f"gtk-xft-dpi={self.dpi * 1024}",
                    f"gtk-xft-antialias={int(self.antialias)}", "gtk-xft-hinting=1", f"gtk-xft-hintstyle={self.hinting}", f"gtk-xft-rgba={self.subpixel}", "gtk-cursor-blink=0",
                    "gtk-enable-animations=0", "gtk-overlay-scrolling=0", f"gtk-application-prefer-dark-theme={int('ark' in self.theme)}"]
        os.makedirs(f"{config}/gtk-3.0", exist_ok=True)
        pathlib.Path(f"{config}/gtk-3.0/settings.ini").write_text("\n".join(settings) + "\n")
        os.makedirs(f"{config}/fontconfig", exist_ok=True)
        pathlib.Path(f"{config}/fontconfig/fonts.conf").write_text(
            f'<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><match target="pattern"><test name="family"><string>sans-serif</string></test>'
            f'<edit name="family" mode="prepend" binding="strong"><string>{self.family}</string></edit></match><match target="font"><edit name="antialias" mode="assign"><bool>{str(self.antialias).lower()}</bool></edit>'
            f'<edit name="hintstyle" mode="assign"><const>{self.hinting}</const></edit></match></fontconfig>')
        for folder in ("openbox", "qBittorrent"):
            os.makedirs(f"{config}/{folder}", exist_ok=True)
        pathlib.Path(f"{config}/qBittorrent/qBittorrent.conf").write_text("[LegalNotice]\nAccepted=true\n")
        rc = pathlib.Path("/etc/xdg/openbox/rc.xml").read_text()
        pathlib.Path(f"{config}/openbox/rc.xml").write_text(re.sub(r"<name>Clearlooks</name>", f"<name>{self.openbox}</name>", rc, count=1))

    def environment(self, home):
        more = dict(HOME=home, XDG_CONFIG_HOME=f"{home}/.config", XDG_CACHE_HOME="/tmp/cache", XDG_DATA_HOME=f"{home}/.local/share", QT_FONT_DPI=str(self.dpi), GSETTINGS_BACKEND="memory",
                    QT_STYLE_OVERRIDE=self.qt_style, QT_QPA_PLATFORMTHEME=self.qt_platform)
        return {**os.environ, **more}


class Display:
    """The X server seen from outside: pictures, windows from bottom to top, the mouse."""

    def __init__(self, name):
        from Xlib import X, display
        from Xlib.ext import xtest
        self.X, self.xtest = X, xtest
        self.connection = display.Display(name)
        self.root = self.connection.screen().root
        self.width, self.height = self.connection.screen().width_in_pixels, self.connection.screen().height_in_pixels

    def picture(self):
        raw = self.root.get_image(0, 0, self.width, self.height, self.X.ZPixmap, 0xFFFFFFFF).data
        return np.frombuffer(raw, np.uint8).reshape(self.height, self.width, 4)[..., 2::-1].copy()

    def windows(self):
        """[(frame box, client box, client, is popup, title)] from bottom to top; boxes x, y, w, h in px."""
        found = []
        for frame in self.root.query_tree().children:
            try:
                attributes, shape = frame.get_attributes(), frame.get_geometry()
                if attributes.map_state != self.X.IsViewable or shape.width < 4 or shape.height < 4 or shape.x >= self.width or shape.y >= self.height:
                    continue
                client, title = self.client(frame)
                if client is None:
                    if attributes.win_class == self.X.InputOnly:
                        continue
                    found.append(((shape.x, shape.y, shape.width, shape.height), (shape.x, shape.y, shape.width, shape.height), frame, True, ""))
                    continue
                inner, at = client.get_geometry(), client.translate_coords(self.root, 0, 0)
                found.append(((shape.x, shape.y, shape.width, shape.height), (-at.x, -at.y, inner.width, inner.height), client, False, title))
            except Exception:  # a window that has just gone
                continue
        return found

    def client(self, frame):
        state = self.connection.intern_atom("WM_STATE")
        queue = [frame]
        while queue:
            window = queue.pop(0)
            if window.get_full_property(state, self.X.AnyPropertyType):
                name = window.get_full_property(self.connection.intern_atom("_NET_WM_NAME"), self.X.AnyPropertyType)
                title = name.value.decode("utf-8", "replace") if name is not None and isinstance(name.value, bytes) else window.get_wm_name() or ""
                return window, title if isinstance(title, str) else ""
            queue += window.query_tree().children
        return None, ""

    def click(self, x, y, button=1):
        self.xtest.fake_input(self.connection, self.X.MotionNotify, x=int(x), y=int(y))
        self.xtest.fake_input(self.connection, self.X.ButtonPress, button)
        self.xtest.fake_input(self.connection, self.X.ButtonRelease, button)
        self.connection.sync()

    def press(self, keysym):
        code = self.connection.keysym_to_keycode(keysym)
        self.xtest.fake_input(self.connection, self.X.KeyPress, code)
        self.xtest.fake_input(self.connection, self.X.KeyRelease, code)
        self.connection.sync()

    def settled(self, limit_s=6.0):
        """The picture once it has stopped changing."""
        last, end, still = self.picture(), time.time() + limit_s, 0
        while time.time() < end and still < 3:
            time.sleep(0.12)
            now = self.picture()
            still = still + 1 if (now != last).any(axis=2).sum() < 150 else 0
            last = now
        return last


def descendants(pid):
    """The process and what it has started."""
    parents = {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            fields = open(path).read().rsplit(")", 1)[1].split()
            parents[int(path.split("/")[2])] = int(fields[1])
        except (OSError, IndexError):
            continue
    found, grown = {pid}, True
    while grown:
        more = {child for child, parent in parents.items() if parent in found} - found
        found, grown = found | more, bool(more)
    return found


class Capture:
    def __init__(self, out, width, height, seed):
        self.out, self.random, self.factor = out, random_module.Random(seed), width / WIDTH
        self.name = f":{80 + seed % 10}"
        self.server = start_server(self.name, width, height)
        self.display = Display(self.name)
        applications(())  # wakes the registry
        self.seed, self.shots = seed, 0

    def launch(self, application, number, left_s):
        random = self.random
        home = Home(random, f"/tmp/clara{self.seed}/home/clara")
        look = Look(random, self.factor)
        look.write(home.path)
        environment = look.environment(home.path)
        manager = subprocess.Popen(["openbox"], stderr=subprocess.DEVNULL, env=environment)
        subprocess.run(["xsetroot", "-solid", random.choice(["#406080", "#2e3440", "#3a6ea5", "#5f7f5f", "#808080", "#d8d8d0", "#203020", "#804020", "#1d6f6f", "#b0a080"])], check=False, env=environment)
        move_pointer(self.name, self.display.width - 1, self.display.height - 1)
        command = [home.fill_in(argument) for argument in APPLICATIONS[application]]
        try:
            for _ in range(4):  # Qt misses the accessibility bus in half of its starts
                process = subprocess.Popen(command, cwd=home.folder, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=environment, start_new_session=True)
                if self.wait_for_window(9) and self.wait_for_tree(process, 2):
                    self.shoot_all(application, number, process, look, time.time() + left_s)
                    break
                self.end(process)
            else:
                print(application, "no tree", flush=True)
        finally:
            self.end(process)
            manager.terminate()
            manager.wait()

    def end(self, process):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        for window in self.display.windows():
            try:
                window[2].kill_client()
            except Exception:  # gone with its process
                pass
        self.display.connection.sync()

    def wait_for_tree(self, process, limit_s):
        end = time.time() + limit_s
        while time.time() < end:
            if any(application.childCount for application in applications(descendants(process.pid))):
                return True
            time.sleep(0.1)
        return False

    def wait_for_window(self, limit_s):
        end = time.time() + limit_s
        while time.time() < end:
            if any(not w[3] for w in self.display.windows()):
                return True
            time.sleep(0.15)
        return False

    def place(self):
        """Windows of random size at a random place; some fill the screen."""
        random, display = self.random, self.display
        for frame, client, window, popup, _ in display.windows():
            if popup:
                continue
            w, h = (display.width, display.height) if random.random() < 0.25 else (random.randint(int(0.45 * display.width), display.width - 10), random.randint(int(0.5 * display.height), display.height - 10))
            window.configure(width=w - (frame[2] - client[2]), height=h - (frame[3] - client[3]))
            display.connection.sync()
            time.sleep(0.15)
        for frame, client, window, popup, _ in display.windows():
            if not popup:
                window.configure(x=random.randint(0, max(0, display.width - frame[2])), y=random.randint(0, max(0, display.height - frame[3])))
        display.connection.sync()

    def shoot_all(self, application, number, process, look, end):
        self.display.settled()
        self.last, self.shot = None, 0
        if self.random.random() < 0.8:
            self.place()
        arguments = application, number, process, look
        nodes = self.shoot(*arguments)
        for _ in range(self.random.randint(3, 5)):
            if time.time() > end or not nodes:
                return
            nodes = self.poke(nodes, arguments)

    def poke(self, nodes, arguments):
        """Opens a menu, a page or a dialog, or resizes, and takes pictures of it; returns what is there afterwards."""
        random, display = self.random, self.display
        menus = [i for i in nodes if i["kind"] == "menu" and not i.get("disabled")]
        pages = [i for i in nodes if i["kind"] in ("tab", "cell", "tree item", "list item", "check box", "radio button") and not i.get("checked")]
        pages = [i for i in pages if i["kind"] == "tab"] or pages
        draw = random.random()
        if menus and draw < 0.6:
            self.click(random.choice(menus))
            opened = self.shoot(*arguments)
            entries = [i for i in opened if i["kind"] == "menu item" and not i.get("disabled") and OPENED.match(i.get("text", ""))]
            if entries and random.random() < 0.6:
                self.click(random.choice(entries))
                return self.shoot(*arguments)
            for _ in range(2):
                display.press(0xFF1B)  # Escape
            display.settled(2)
            return nodes
        if pages and draw < 0.9:
            self.click(random.choice(pages))
            return self.shoot(*arguments)
        self.place()
        return self.shoot(*arguments)

    def click(self, item):
        x, y, w, h = item["box"]
        self.display.click((x + min(w / 2, 60)) * self.factor, (y + h / 2) * self.factor)
        time.sleep(0.2)

    def shoot(self, application, number, process, look):
        if self.random.random() < 0.5:
            move_pointer(self.name, self.display.width - 1, self.display.height - 1)
        picture = self.display.settled()
        if self.last is not None and (picture != self.last).any(axis=2).mean() < 0.006:
            return []
        items, runs, titles = labels_of(self.display, descendants(process.pid), look, picture)
        if sum(item["box"][2] > 1 for item in items) < 4:
            print(application, "few items", len(items), flush=True)
            return []
        self.last = picture
        small, items, runs = scaled(picture, items, runs, self.factor)
        items, runs = checked(small, items, runs)
        path = f"{self.out}/{application}.{number:04d}.{self.shot}"
        self.shot += 1
        self.shots += 1
        Image.fromarray(small).save(path + ".png")
        labels = {"seed": number * 10 + self.shot, "first": {"items": items, "runs": runs, "titles": titles}}
        pathlib.Path(path + ".json").write_text(json.dumps(labels, ensure_ascii=False))
        print(path.rsplit("/", 1)[1], len(items), len(runs), flush=True)
        return items


def main(out, width, height, seed, minutes, *only):
    os.environ["QT_QPA_PLATFORM"] = "xcb"
    capture, end, number = Capture(out, int(width), int(height), int(seed)), time.time() + 60 * float(minutes), int(seed)
    names, launched = [name for name, command in APPLICATIONS.items() if shutil.which(command[0]) and (not only or name in only)], collections.Counter()
    while time.time() < end:
        name = min(names, key=lambda n: (launched[n] + len(glob.glob(f"{out}/{n}.*.png")) // 5, capture.random.random()))  # those with the fewest pictures come first
        launched[name] += 1
        try:
            capture.launch(name, number, 30)
        except Exception as error:
            print(name, "failed:", repr(error), flush=True)
        number += 2
    print("shots", capture.shots)
    capture.server.terminate()


if __name__ == "__main__":
    main(*sys.argv[1:])
