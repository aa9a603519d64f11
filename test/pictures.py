# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is wrong with a picture (SVG) that a tool draws: problems(). Tools (conftest.py) calls it for all pictures
that tests draw.

Texts are measured in DejaVu Sans, which is wider than other fonts for sans-serif."""
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

SVG = "{http://www.w3.org/2000/svg}"
# Advances of U+0020 to U+007E, for a font of size 1000.
ADVANCES = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636, 636, 636, 636,
    636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,
    603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352, 635,
    634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838]
READABLE = 4.5  # the least contrast of text, by WCAG 2
APART = 1.3  # of two fills, in print without colours
MOST_BOXES = 20_000
UNITS = {"ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}


def width_of(text, size):
    return sum(ADVANCES[ord(c) - 32] if " " <= c <= "~" else 1000 for c in text) * size / 1000


def contrast(one, other):
    def luminance(color):
        digits = color[1:] if len(color) == 7 else "".join(2 * c for c in color[1:])
        parts = [int(digits[i:i + 2], 16) / 255 for i in (0, 2, 4)]
        red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


class Box:
    def __init__(self, left, top, width, height, fill, name):
        self.left, self.top, self.right, self.bottom = left, top, left + width, top + height
        self.fill, self.name = fill, name

    def covers(self, x, y):
        return self.left <= x <= self.right and self.top <= y <= self.bottom

    def overlaps(self, other, by):
        return (min(self.right, other.right) - max(self.left, other.left) > by and
                min(self.bottom, other.bottom) - max(self.top, other.top) > by)


class Picture:
    def __init__(self, text):
        self.found = []
        root = ElementTree.fromstring(text)
        view = [float(number) for number in root.get("viewBox", "0 0 0 0").split()]
        self.view = Box(*view, "#ffffff", "")
        title = root.find(f"{SVG}title")
        if root[:1] != [title] or not title.text:
            self.found.append("it has no title")
        self.boxes, self.texts, self.keys, self.axes = [], [], [], []
        self.legends = 0
        for element in root:
            self.add(element)

    def add(self, element, group=""):
        tag = element.tag.removeprefix(SVG)
        if tag == "g":
            self.legends += element.get("class") == "legend"
            if (element.get("class") or "").startswith("axis"):
                self.axes.append((element.get("class"), []))
            for child in element:
                self.add(child, element.get("class"))
        elif tag == "rect" and element.get("width") != "100%":
            self.add_box(element, group)
        elif tag == "text":
            self.add_text(element, group)
        elif tag == "line":
            self.contain(tag, *([float(element.get(axis + end)) for end in "12"] for axis in "xy"))
        elif tag == "path":
            numbers = [float(n) for n in re.findall(r"-?[\d.]+", re.sub(r"h\S+", "", element.get("d")))]
            self.contain(tag, numbers[::2], numbers[1::2])

    def contain(self, what, xs, ys):
        if min(xs) < -0.1 or max(xs) > self.view.right + 0.1 or min(ys) < -0.1 or max(ys) > self.view.bottom + 0.1:
            self.found.append(f"{what} at {min(xs)}, {min(ys)} is not inside of the picture")

    def add_box(self, element, group):
        left, top, width, height = (float(element.get(name)) for name in ("x", "y", "width", "height"))
        if not (width > 0 and height > 0):
            self.found.append(f"a box at {left}, {top} is {width} wide and {height} high")
        name = element.findtext(f"{SVG}title", "")
        box = Box(left, top, width, height, element.get("fill"), name)
        self.contain(f"box '{name}'", [box.left, box.right], [box.top, box.bottom])
        (self.keys if group == "legend" else self.boxes).append(box)

    def add_text(self, element, group):
        size, text = float(element.get("font-size", 11)), element.text or ""
        x, y, wide = float(element.get("x")), float(element.get("y")), width_of(text, size)
        left = x - wide / 2 if element.get("text-anchor") == "middle" else x
        place = Box(left, y - 0.75 * size, wide, 0.95 * size, element.get("fill", "#000"), text)
        self.contain(f"text '{text}'", [place.left, place.right], [place.top, place.bottom])
        if (group or "").startswith("axis"):
            self.axes[-1][1].append((-y if "vertical" in group else x, text))
        for other in self.texts:
            if place.overlaps(other, 0.5):
                self.found.append(f"text '{text}' is on '{other.name}'")
        self.texts.append(place)
        middle = (left + wide / 2, y - size / 3)
        below = next((box for box in reversed(self.boxes) if box.covers(*middle)), None)
        ratio = contrast(place.fill, below.fill if below else "#fff")
        if ratio < READABLE:
            self.found.append(f"text '{text}' has a contrast of {ratio:.2f}")
        if below and (place.left < below.left - 0.1 or place.right > below.right + 0.6):
            self.found.append(f"text '{text}' is wider than its box")
        whole = element.findtext(f"{SVG}title") or (below.name if below else "")
        if re.search(r"\d…$", text) and re.search(re.escape(text[:-1]) + r"\d", whole):
            self.found.append(f"text '{text}' breaks a number")
        if text.endswith("…") and not whole:
            self.found.append(f"nothing says what text '{text}' is")

    def check_axis(self, kind, labels):
        unit = "()" if "numbers" in kind else r" (ns|us|ms|s|[KMGT]?i?B)"
        parts = [(x, re.fullmatch(r"([\d.]+)" + unit, text)) for x, text in labels]
        wrong = [text for (_, text), (_, part) in zip(labels, parts) if not part]
        if wrong or len(labels) < 2:
            self.found.append(f"an axis has the labels {[text for _, text in labels]}")
            return
        values = [float(part[1]) * UNITS.get(part[2], 1) for _, part in parts]
        step = values[1] - values[0]
        if parts[0][1][2] == "B":
            good = step > 0 and (step.is_integer() and int(step) & int(step) - 1 == 0)
        else:
            good = f"{step:.0e}"[0] in "125" and abs(float(f"{step:.0e}") / step - 1) < 1e-6
        if not good:
            self.found.append(f"an axis has the step {step}")
        scale = (labels[1][0] - labels[0][0]) / step
        for (x, text), value in zip(labels, values):
            # Coordinates have one decimal.
            if abs(labels[0][0] + (value - values[0]) * scale - x) > 0.11 * (2 + value / step):
                self.found.append(f"'{text}' is not where it says")

    def problems(self):
        if self.legends != 1:
            self.found.append(f"it has {self.legends} legends")
        fills = {key.fill for key in self.keys}
        for box in self.boxes:
            if box.fill not in fills:
                self.found.append(f"the legend does not say what {box.fill} is, such as '{box.name}'")
                fills.add(box.fill)
        if missing := {key.fill for key in self.keys} - {box.fill for box in self.boxes}:
            self.found.append(f"the legend explains {missing}, which the picture does not have")
        fills = sorted({key.fill for key in self.keys})
        for i, one in enumerate(fills):
            for other in fills[i + 1:]:
                if contrast(one, other) < APART:
                    self.found.append(f"{one} and {other} look the same in print")
        if len(self.boxes) > MOST_BOXES:
            self.found.append(f"{len(self.boxes)} boxes: more than there are pixels for")
        for kind, labels in self.axes:
            self.check_axis(kind, labels)
        return self.found


def problems(text):
    """Faults of a picture, each in words."""
    return Picture(text).problems()


def problems_of_files(files):
    return [f"{path}: {problem}" for path in files for problem in problems(path.read_text())]


def problems_of_command(command, folder=None):
    """Faults of the pictures that a command has drawn: of the files and folders that its options name."""
    found = []
    for before, word in zip(command, command[1:]):
        option, _, value = word.rpartition("=")
        path = pathlib.Path(folder or ".", value)
        if path.suffix == ".svg" and path.is_file():
            found += problems_of_files([path])
        elif "--schedule-pictures" in (before, option) and path.is_dir():
            found += problems_of_files(sorted(path.glob("*.svg")))
    return found


if __name__ == "__main__":
    faults = problems_of_files(map(pathlib.Path, sys.argv[1:]))
    print("\n".join(faults))
    sys.exit(bool(faults))
