"""Reads a tape with the stock `flatbuffers` package, and prints its first levels.

    pip install flatbuffers
    python read_tape.py run.tape [LEVELS]

What the numbers mean is in crates/wengert-tape/schema/tape.fbs; nothing here was generated from it.
"""

import struct
import sys
import zlib
from collections import namedtuple

import flatbuffers
from flatbuffers import encode, number_types, table

NONE = 0xFFFFFFFF
KINDS = ["argument", "constant", "primitive", "call", "special", "branch", "return"]
# The fields of the root table, in the order of the schema.
FIELDS = """version checksum nodes references results summaries strings types names places labels constants values
metadata bytes limited arrays_file arrays_file_size arrays_file_checksum arrays_file_header_checksum
arrays_file_checksums numbers modules sources buffer_size arrays""".split()

Node = namedtuple(
    "Node",
    """kind flags host parent position next first_child last_child label place name block references references_count
    results results_count extra nanoseconds""",
)


class Tape:
    def __init__(self, data):
        if data[4:8] != b"WGTP":
            raise ValueError("this is not a tape")
        root = encode.Get(flatbuffers.packer.uoffset, data, 0)
        self.data, self.table = data, table.Table(data, root)
        if self.number("version") not in (1, 2):
            raise ValueError("this script reads versions 1 and 2")
        # Arrays come after the buffer; the first version had them in a file of their own.
        end = self.number("buffer_size", number_types.Uint64Flags) if self.field("buffer_size") else len(data)
        at = root + self.table.Offset(4 + 2 * FIELDS.index("checksum"))
        if zlib.crc32(data[:at] + bytes(4) + data[at + 4 : end]) != self.number("checksum"):
            raise ValueError("the file is damaged")
        self.nodes = [Node(*n) for n in self.structs("nodes", "<BBH14If")]
        self.references = self.structs("references", "<II")
        self.results = self.structs("results", "<II")
        self.places = self.structs("places", "<III")
        self.labels = self.structs("labels", "<II")
        self.constants = self.structs("constants", "<IIQQ")

    def field(self, name):
        return self.table.Offset(4 + 2 * FIELDS.index(name))

    def number(self, name, kind=number_types.Uint32Flags):
        return self.table.Get(kind, self.table.Pos + self.field(name))

    def structs(self, name, layout):
        field = self.field(name)
        at, n = self.table.Vector(field), self.table.VectorLen(field)
        size = struct.calcsize(layout)
        return list(struct.iter_unpack(layout, self.data[at : at + n * size]))

    def string(self, i):
        start = self.table.Vector(self.field("strings"))
        return self.table.String(start + 4 * i).decode()

    def numbered(self, name, i):
        """The string that table `name` has under number `i`."""
        return self.string(self.structs(name, "<I")[i][0])

    def operand(self, at, out):
        if out != NONE:
            return f"@{at}" + (f".{out}" if self.nodes[at].results_count > 1 else "")
        kind, text, low, _ = self.constants[at]
        return f"⟨{self.string(text)}⟩" if kind == 0 else f"⟨{self.numbered('types', kind - 1)} 0x{low:x}⟩"

    def line(self, i):
        n = self.nodes[i]
        text = f"@{i}"
        if n.place:
            file, line, column = self.places[n.place - 1]
            text += f" [{self.string(file)}:{line}:{column}]"
        if n.name:
            text += f" {self.numbered('names', n.name - 1)} ="
        references = self.references[n.references : n.references + n.references_count]
        operands = ", ".join(self.operand(*r) for r in references)
        text += f" {KINDS[n.kind]} {self.string(self.labels[n.label][0])}({operands})"
        results = self.results[n.results : n.results + n.results_count]
        types = [self.numbered("types", ty - 1) for ty, _ in results if ty]
        return text + (" : " + ", ".join(types) if types else "")

    def show(self, levels, i=0, depth=0):
        print("  " * depth + self.line(i))
        child = self.nodes[i].first_child
        while depth < levels and child != NONE:
            self.show(levels, child, depth + 1)
            child = self.nodes[child].next


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file:
        Tape(file.read()).show(int(sys.argv[2]) if len(sys.argv) > 2 else 2)
