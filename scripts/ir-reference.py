#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes ir-reference.md, the reference of the ttc dialect, from its ODS definitions.

scripts/ir-reference.py PAGE      with llvm-tblgen of LLVM 22, or with LLVM_TBLGEN

The build runs it; the page is installed with the documentation.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Families of ops in the order of TtcOps.td: the file and its heading.
FAMILIES = {
    "Tensors/ElementwiseOps": "Elementwise ops",
    "Tensors/BitwiseOps": "Ops on bits",
    "Tensors/ConvolutionOps": "Matrix products, convolutions and pooling",
    "Tensors/NormalizationOps": "Normalization and softmax",
    "Tensors/QuantizationOps": "Quantised numbers and products of bytes",
    "Tensors/ReductionOps": "Reductions",
    "Tensors/DataMovementOps": "Constants and data movement",
    "Tensors/NarrowTypeOps": "Types narrower than a byte's numbers",
    "Tensors/SequentialOps": "Ops that walk in order",
    "Tensors/BlockOps": "Products with weights in blocks",
    "Tensors/GenerativeOps": "Ops of generative models",
    "Tensors/RecurrentOps": "Recurrent layers",
    "Tensors/CollectiveOps": "Collectives of a mesh of devices",
    "Tensors/HostOps": "Calls of the application",
    "Programs/ProgramOps": "Fusions, programs and dispatches",
    "Programs/ZoneOps": "Zones of programs",
    "Programs/KernelOps": "Device kernels",
    "Programs/AttentionOps": "Device kernel of attention",
    "Programs/CacheOps": "Device kernels of attention over a cache",
    "Programs/IntKernelOps": "Device kernels on bytes",
    "Programs/BlockKernelOps": "Device kernels on weights in blocks",
    "Programs/WinogradOps": "Device kernels of Winograd's convolutions",
    "Traces/QueueOps": "Transfers, host steps and events",
    "Traces/StateOps": "State",
    "Traces/TraceOps": "Traces and commands",
    "Traces/LoopOps": "Loops",
    "Traces/BufferOps": "Buffers and machine code",
    "Traces/ExchangeOps": "Exchanges between devices",
    "Traces/ScheduleOps": "Entry points and schedules",
}
LEVELS = {"Tensors": "Level 1: tensors", "Programs": "Level 2: programs", "Traces": "Levels 3 and 4: traces, plans and schedules"}
INTERFACES = {
    "ComputeInterfaces": "How ops compute",
    "TransformInterfaces": "How passes transform ops",
    "ExecutionInterfaces": "Where and when ops run",
    "SerializationInterfaces": "How ops are stored in bundles",
}
TYPES = [
    (r"tensor of static shape and at most 2\^40 elements of f32, .* or i1", "tensor"),
    (r"tensor of static shape and at most 2\^40 elements of ([\w ]+) \(.*\)", r"tensor of \1"),
    (r"tensor of static shape and at most 2\^40 elements of ", "tensor of "),
    (r"statically shaped tensor of 32-bit float values", "tensor of f32"),
    (r"\b1 blocks$", "one block"),
    (r"^type attribute of tensor$", "type of a tensor"),
    (r"^64-bit signless integer attribute whose value is (.*)$", r"i64, \1"),
    (r"^64-bit signless integer attribute$", "i64"),
    (r"^32-bit float attribute$", "f32"),
    (r"^(i64|f32) dense array attribute$", r"array of \1"),
    (r"^unit attribute$", "flag"),
    (r"^string attribute$", "string"),
    (r"^string array attribute$", "array of strings"),
    (r"^type attribute of function type$", "function type"),
    (r"^flat symbol reference attribute$", "symbol name"),
    (r"^flat symbol ref array attribute$", "array of symbol names"),
    (r"^Array of dictionary attributes$", "array of dictionaries"),
    (r"^constant vector/tensor attribute$", "constant tensor"),
    (r" attribute$", ""),
]


def read_records():
    tool = os.environ.get("LLVM_TBLGEN") or shutil.which("llvm-tblgen", path="/usr/lib/llvm-22/bin") or shutil.which("llvm-tblgen")
    if not tool:
        sys.exit("ir-reference.py: expected llvm-tblgen in the PATH or in LLVM_TBLGEN, found none")
    include = pathlib.Path(tool).resolve().parents[1] / "include"
    text = subprocess.run([tool, "--dump-json", f"-I{ROOT}", f"-I{include}", str(ROOT / "dialects/Ttc/TtcOps.td")],
                          check=True, capture_output=True, text=True).stdout
    return json.loads(text)


class Page:
    def __init__(self, records):
        self.records = records
        self.lines = []

    def get(self, reference):
        return self.records[reference["def"]]

    def select(self, kind, dialect=None):
        """Definitions of a kind, in the order of the sources."""
        found = [self.records[name] for name in self.records["!instanceof"][kind] if not self.records[name]["!anonymous"]]
        if dialect:
            found = [record for record in found if (record[dialect] or {}).get("def") == "Ttc_Dialect"]
        return sorted(found, key=self.position)

    @staticmethod
    def position(record):
        file, line = record["!locs"][0].split(":")[:2]
        return file, int(line)

    @staticmethod
    def file_of(record):
        # The file of the definition itself, which comes first.
        return record["!locs"][0].split(":")[0].removesuffix(".td")

    def add(self, *paragraphs):
        for paragraph in paragraphs:
            if paragraph:
                self.lines += [*paragraph.split("\n"), ""]

    @staticmethod
    def clean(text):
        lines = text.rstrip().split("\n")
        while lines and not lines[0].strip():
            lines.pop(0)
        # Descriptions may begin on the line of their bracket: indent by the others.
        if lines and not lines[0].startswith(" ") and len(lines) > 1:
            return lines[0] + "\n" + textwrap.dedent("\n".join(lines[1:]))
        return textwrap.dedent("\n".join(lines))

    @staticmethod
    def sentence(text):
        text = text.strip()
        return text[0].upper() + text[1:] + ("" if text.endswith(".") else ".") if text else ""

    def cases(self, record):
        """The cases of an enumeration, or none."""
        enum = self.get(record["enum"]) if record.get("enum") else record
        return [self.get(case) for case in enum.get("enumerants") or []]

    def type_text(self, record):
        """The constraint of an operand, attribute or result in words."""
        kinds, prefix, suffix = record["!superclasses"], "", ""
        if "Variadic" in kinds:
            prefix, record = "any number: ", self.get(record["baseType"])
        elif "Optional" in kinds:
            suffix, record = ", optional", self.get(record["baseType"])
        elif "DefaultValuedAttr" in kinds:
            value = record["defaultValue"].replace("std::numeric_limits<float>::infinity()", "infinity").removesuffix("f")
            record = self.get(record["baseAttr"])
            if record.get("enum"):
                value = next(f"`{case['str']}`" for case in self.cases(record) if case["symbol"] == value.split("::")[-1])
            suffix = f", default {value}"
        elif "OptionalAttr" in kinds:
            suffix, record = ", optional", self.get(record["baseAttr"])
        cases = self.cases(record)
        if cases:
            return ", ".join(f"`{case['str']}`" for case in cases) + suffix
        mnemonic = record.get("mnemonic")
        if mnemonic:
            return f"`{'#' if 'AttrDef' in record['!superclasses'] else '!'}ttc.{mnemonic}`" + suffix
        text = record["summary"]
        for pattern, replacement in TYPES:
            text = re.sub(pattern, replacement, text)
        return prefix + text + suffix

    def arguments(self, op):
        rows = []
        for reference, name in op["arguments"]["args"]:
            record = self.get(reference)
            kind = "attribute" if "AttrConstraint" in record["!superclasses"] else "operand"
            rows.append((kind, name, self.type_text(record)))
        for field, kind in (("results", "result"), ("regions", "region")):
            for reference, name in op[field]["args"]:
                record = self.get(reference)
                rows.append((kind, name, self.type_text(record) if kind == "result" else record["summary"].removeprefix("region with ")))
        if not rows:
            return ""
        return "\n".join(["| | name | type |", "|---|---|---|", *(f"| {kind} | `{name}` | {text} |" for kind, name, text in rows)])

    def traits(self, op, field):
        """A field of those traits that have it."""
        return sorted(trait[field] for trait in map(self.get, op["traits"]) if trait.get("cppNamespace") == "::mlir::ttc" and field in trait)

    def interfaces(self, op):
        names = [f"[{name}](#{name.lower()})" for name in self.traits(op, "cppInterfaceName")]
        return "Interfaces: " + ", ".join(names) + "." if names else ""

    def whole(self, op):
        return "".join(f"Its dimensions are never divided: {reason}." for reason in self.traits(op, "whyWhole"))

    def write_ops(self):
        ops = self.select("Op", "opDialect")
        level = None
        for family, heading in FAMILIES.items():
            room, file = family.split("/")
            if room != level:
                level = room
                self.add(f"## {LEVELS[room]}")
            members = [op for op in ops if self.file_of(op) == file]
            assert members, f"expected ops in {family}.td, found none"
            self.add(f"### {heading}", f"Defined in `dialects/Ttc/{family}.td`.")
            for op in members:
                ops.remove(op)
                description = self.clean(op["description"])
                summary = "" if description.startswith("Element by element") else self.sentence(op["summary"])
                self.add(f"#### ttc.{op['opName']}", summary, description, self.arguments(op), self.interfaces(op), self.whole(op))
        assert not ops, f"expected a heading in FAMILIES for {[op['opName'] for op in ops]}, found none"

    PARAMETERS = {
        "int64_t": "i64",
        "::llvm::ArrayRef<int64_t>": "array of i64",
        "::llvm::ArrayRef<int64_t>, optional": "array of i64, optional",
        "::mlir::RankedTensorType": "tensor type",
        "bool, default false": "flag",
    }

    def write_attributes(self):
        self.add("## Attributes")
        for attribute in sorted(self.select("AttrDef", "dialect"), key=lambda a: self.file_of(a) != "TtcAttributes"):
            # Enumerations are in the tables of the ops that use them.
            if "EnumAttr" in attribute["!superclasses"]:
                continue
            rows = ["| parameter | type |", "|---|---|"]
            for reference, name in attribute["parameters"]["args"]:
                text = reference if isinstance(reference, str) else self.parameter(self.get(reference))
                rows.append(f"| `{name}` | {self.PARAMETERS.get(text, text)} |")
            self.add(f"### #ttc.{attribute['mnemonic']}", self.sentence(attribute["summary"]), self.clean(attribute["description"]),
                     "\n".join(rows))

    def parameter(self, record):
        text = record.get("summary") or record["cppType"].removeprefix("::mlir::ttc::")
        if "EnumParameter" in record["!superclasses"]:
            enums = [self.records[name] for name in self.records["!instanceof"]["EnumInfo"]]
            enum = next(e for e in enums if record["cppType"].endswith("::" + e["className"]))
            text = ", ".join(f"`{self.get(case)['str']}`" for case in enum["enumerants"])
            return text + (", default " + next(
                f"`{self.get(case)['str']}`" for case in enum["enumerants"] if self.get(case)["symbol"] == record["defaultValue"].split("::")[-1])
                if record.get("defaultValue") else "")
        default = record.get("defaultValue")
        if default and "SmallVector" in default:
            return text + ", optional"
        return text + (f", default {default}" if default else "")

    def write_types(self):
        self.add("## Types")
        for kind in self.select("TypeDef", "dialect"):
            self.add(f"### !ttc.{kind['mnemonic']}", self.sentence(kind["summary"]), self.clean(kind["description"]))

    def write_interfaces(self):
        self.add("## Interfaces", "Passes use only these interfaces of ops; no pass has a list of op names.")
        interfaces = [i for i in self.select("OpInterface") if i["cppNamespace"] == "::mlir::ttc"]
        for file, heading in INTERFACES.items():
            self.add(f"### {heading}", f"Defined in `dialects/Ttc/Interfaces/{file}.td`.")
            for interface in [i for i in interfaces if self.file_of(i) == file]:
                interfaces.remove(interface)
                rows = ["| method | |", "|---|---|"]
                for reference in interface["methods"]:
                    method = self.get(reference)
                    arguments = ", ".join(name for _, name in method["arguments"]["args"])
                    text = " ".join(self.clean(method["description"]).split()).replace("|", "\\|")
                    rows.append(f"| `{method['name']}({arguments})` | {self.sentence(text)} |")
                self.add(f"#### {interface['cppInterfaceName']}", self.clean(interface["description"]), "\n".join(rows))
        assert not interfaces, f"expected a heading in INTERFACES for {[i['cppInterfaceName'] for i in interfaces]}, found none"

    def element_types(self):
        summaries = {record["summary"] for record in self.records.values()
                     if isinstance(record, dict) and "Ttc_TensorOf" in record.get("!superclasses", [])}
        for summary in sorted(summaries, key=lambda s: (-len(s), s)):
            text = summary.removeprefix("tensor of static shape and at most 2^40 elements of ")
            named = re.fullmatch(r"([\w ]+) \((.*)\)", text)
            if named:
                yield f"tensor of {named[1]}", named[2]
            elif " or " in text:
                yield "tensor", text.replace(" or ", ", ")

    def write(self):
        dialect = self.records["Ttc_Dialect"]
        self.add(
            "# IR reference: the ttc dialect",
            "<!-- Written by scripts/ir-reference.py from dialects/Ttc/*.td. -->",
            self.clean(dialect["description"]).replace("`docs/architecture.md`", "[The architecture](architecture.md)"),
            "A diagnostic cites the constraint that it enforces, for example `'ttc.conv' op (C4) expected 'groups' ...`. The types in the\n"
            "tables are checked, too. All tensors have static shapes, at most 64 dimensions and 2^40 elements. The element types are:",
            "\n".join(["| | element types |", "|---|---|", *(f"| {what} | {types} |" for what, types in self.element_types())]),
        )
        contents = len(self.lines)
        self.write_ops()
        self.write_attributes()
        self.write_types()
        self.write_interfaces()
        headings = [re.match(r"(##|###) (.*)", line) for line in self.lines[contents:]]
        links = []
        for heading in filter(None, headings):
            anchor = re.sub(r"[^\w\- ]", "", heading[2].lower()).replace(" ", "-")
            links.append("  " * (len(heading[1]) - 2) + f"- [{heading[2]}](#{anchor})")
        self.lines[contents:contents] = [*links, ""]
        return "\n".join(self.lines).rstrip() + "\n"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    pathlib.Path(sys.argv[1]).write_text(Page(read_records()).write())


if __name__ == "__main__":
    main()
