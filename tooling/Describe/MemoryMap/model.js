// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data of the page: the blocks of each memory, where each is stored and when it is alive.

const points = data.timeline.length;

const exactText = bytes => bytes.toLocaleString('en') + '\u00a0B';
const hexText = value => '0x' + value.toString(16);
function pointText(time) {
  if (time < 0 || time >= points) return '';
  const [what, of, source] = data.timeline[time];
  return what + (of ? ' ' + of : '') + (source ? ', from ' + source : '');
}

// By buffer: the points that access it, each with 1 for a read, 2 for a write, 3 for both.
const accesses = new Map();
data.timeline.forEach(([what, of, source, touched], time) => {
  for (let i = 0; i < touched.length; i += 2) {
    if (!accesses.has(touched[i])) accesses.set(touched[i], []);
    accesses.get(touched[i]).push([time, touched[i + 1]]);
  }
});
// The ops that read (1) or write (2) a buffer, each once: the source of a point, or what it is.
function opsOf(buffer, access) {
  const points = (accesses.get(buffer) || []).filter(([time, kind]) => kind & access);
  return [...new Set(points.map(([time]) => data.timeline[time][2] || pointText(time)))];
}

// Core `core` of `cores` takes the workgroups from ceil(grid * core / cores) on.
function hasWorkgroups(grid, core, cores) {
  const first = c => (BigInt(grid) * BigInt(c) + BigInt(cores) - 1n) / BigInt(cores);
  return first(core) < first(core + 1);
}

const kNamedByOp = new Set(['activation', 'scratch', 'command']);

// Scratch is on the cores that its program has workgroups for, a shard on its core, all else on every core.
function isOnCore(grid, shards, core) {
  return (!grid || hasWorkgroups(grid, core, data.cores)) && (!shards || core < shards);
}

// One memory, or the L1 of one core. `shown` holds the kinds that are not switched off.
class Panel {
  constructor(memory, core) {
    this.memory = memory;
    this.core = core;
    this.base = memory.address + (memory.id === 'l1' ? core * memory.total : 0);
    this.blocks = [];
    for (const [kind, name, offset, size, begin, end, type, source, grid, shards, buffer] of memory.blocks) {
      if (memory.id === 'l1' && !isOnCore(grid, shards, core)) continue;
      const always = end === 0;
      // Names of the model say what a block is; those that the compiler made up do not, its op does.
      const label = (kNamedByOp.has(kind) && source) || name;
      // A search for an op finds whatever it accesses.
      const words = [name, source, type, kind, ...opsOf(buffer, 3)];
      this.blocks.push({number: this.blocks.length, kind, name, label, offset, size, begin, end: always ? Math.max(points, 1) : end,
        always, type, source, buffer, text: words.join('\n').toLowerCase()});
    }
    this.kinds = [...new Set(this.blocks.map(b => b.kind))];
    this.shown = new Set(this.kinds);
    this.largest = this.blocks.reduce((most, b) => Math.max(most, b.size), 0);
    // For hit testing: blocks that are always alive, by address; the others by address in buckets of time.
    const byOffset = (a, b) => a.offset - b.offset || a.number - b.number;
    this.constant = this.blocks.filter(b => b.always).sort(byOffset);
    this.bucketWidth = Math.max(1, Math.ceil(points / 1024));
    this.buckets = Array.from({length: Math.ceil(Math.max(points, 1) / this.bucketWidth)}, () => []);
    for (const b of this.blocks.filter(b => !b.always).sort(byOffset))
      for (let i = Math.floor(b.begin / this.bucketWidth); i * this.bucketWidth < Math.min(b.end, points); ++i)
        this.buckets[i].push(b);
    // The order in which keys step through them.
    this.ordered = [...this.blocks].sort((a, b) => a.begin - b.begin || byOffset(a, b));
    // The order of drawing: one colour after the other, blocks with a lifetime last.
    this.drawn = [...this.blocks].sort((a, b) => b.always - a.always || (a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : 0) ||
      a.number * 7 % 5 - b.number * 7 % 5 || byOffset(a, b));
    this.measure();
  }

  // The bytes alive at each point, without those that are always alive; the first highest point.
  measure() {
    const change = new Float64Array(points + 1);
    this.always = 0;
    for (const b of this.blocks) {
      if (b.always && b.kind !== 'command') this.always += b.size;
      else if (b.kind !== 'command') { change[b.begin] += b.size; change[Math.min(b.end, points)] -= b.size; }
    }
    this.alive = new Float64Array(points);
    this.peakTime = 0;
    for (let t = 0, sum = 0; t < points; ++t) {
      this.alive[t] = sum += change[t];
      if (sum > this.alive[this.peakTime]) this.peakTime = t;
    }
    this.peak = points ? this.alive[this.peakTime] : 0; // without blocks that are always alive
  }

  // The visible block at a point of time and an offset; blocks with a lifetime are on top. `visited` counts
  // the blocks that were examined.
  hit(time, offset) {
    const t = Math.floor(time);
    this.visited = 0;
    if (t < 0 || t >= Math.max(points, 1)) return null;
    const bucket = this.buckets[Math.floor(t / this.bucketWidth)] || [];
    return this.search(bucket, t, offset) || this.search(this.constant, t, offset);
  }
  search(list, time, offset) {
    let low = 0, high = list.length; // the first block that begins above the offset
    while (low < high) {
      const middle = (low + high) >> 1;
      ++this.visited;
      if (list[middle].offset <= offset) low = middle + 1; else high = middle;
    }
    while (--low >= 0 && list[low].offset + this.largest > offset) {
      const b = list[low];
      ++this.visited;
      if (offset < b.offset + b.size && b.begin <= time && time < b.end && this.shown.has(b.kind)) return b;
    }
    return null;
  }

  // The range of addresses of the visible blocks; if `planned`, of those with a lifetime, unless there are none.
  extent(planned) {
    let blocks = this.blocks.filter(b => this.shown.has(b.kind));
    const living = blocks.filter(b => !b.always);
    if (planned && living.length) blocks = living;
    let low = Infinity, high = -Infinity;
    for (const b of blocks) { low = Math.min(low, b.offset); high = Math.max(high, b.offset + b.size); }
    return low < high ? [low, high] : [0, Math.max(64, Math.min(this.memory.total, 4096))];
  }
  atPeak() {
    return this.blocks.filter(b => !b.always && b.kind !== 'command' && b.begin <= this.peakTime && this.peakTime < b.end)
      .sort((a, b) => b.size - a.size || (a.name < b.name ? -1 : 1));
  }
  matching(words) {
    const wanted = words.toLowerCase().split(/\s+/).filter(w => w);
    return wanted.length ? this.ordered.filter(b => this.shown.has(b.kind) && wanted.every(w => b.text.includes(w))) : [];
  }
}
