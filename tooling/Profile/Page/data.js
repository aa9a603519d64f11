// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recording as arrays. Times are nanoseconds since its begin.

const text = index => index < 0 ? '' : data.strings[index];

/// Kinds of zones, as Page.cpp numbers them.
const KINDS = [
  {name: 'op', color: '#3b82f6'}, {name: 'barrier, wait', color: '#c3bfbc'}, {name: 'transfer', color: '#42a142'},
  {name: 'trace, dispatch', color: '#4b5768'}, {name: 'host work', color: '#efa93f'}, {name: 'call', color: '#9246b9'},
  {name: 'zone', color: '#db2777'}, {name: 'exchange', color: '#115e59'}];
/// Marks that the application made.
const MARK_COLORS = {signpost: 'bad', message: 'accent', frame: 'soft'};
const OP = 0, SYNC = 1;

/// Zones of one row and depth: disjoint, in order.
class Lane {
  constructor(zones) {
    this.count = zones.length;
    this.begin = Float64Array.from(zones, zone => zone[0]);
    this.end = Float64Array.from(zones, zone => zone[0] + zone[1]);
    this.name = Int32Array.from(zones, zone => zone[3]);
    this.kind = Uint8Array.from(zones, zone => zone[4]);
    this.detail = Int32Array.from(zones, zone => zone[5]);
    this.op = Int32Array.from(zones, zone => zone[6]);
  }
  /// The first zone that ends after a time.
  after(time) {
    let low = 0, high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.end[middle] > time) high = middle;
      else low = middle + 1;
    }
    return low;
  }
  /// The zone at a time, or -1.
  at(time) {
    const found = this.after(time);
    return found < this.count && this.begin[found] <= time ? found : -1;
  }
}

const ZONE_FIELDS = 7; // begin, duration, depth, name, kind, detail, op
const rows = [];
let span = 1, zoneCount = 0;
for (const group of data.groups)
  group.rows.forEach((row, index) => {
    const depths = [];
    for (let i = 0; i < row.zones.length; i += ZONE_FIELDS) {
      const zone = row.zones.slice(i, i + ZONE_FIELDS);
      (depths[zone[2]] ||= []).push(zone);
      span = Math.max(span, zone[0] + zone[1]);
      ++zoneCount;
    }
    rows.push({name: row.name, group: index ? '' : group.name, lanes: Array.from(depths, zones => new Lane(zones || []))});
  });
data.marks.sort((a, b) => a[0] - b[0]);
for (const mark of data.marks) span = Math.max(span, mark[0]);

/// What a search matches: strings, by index.
let matching = null;
function setSearch(query) {
  const wanted = query.trim().toLowerCase();
  matching = wanted ? Uint8Array.from(data.strings, string => string.toLowerCase().includes(wanted) ? 1 : 0) : null;
}
const isMatch = (lane, zone) =>
  matching !== null && (matching[lane.name[zone]] === 1 || (lane.detail[zone] >= 0 && matching[lane.detail[zone]] === 1));
/// All matches, as [row, lane, zone], in order of time.
function matches() {
  const found = [];
  if (matching)
    rows.forEach((row, r) => row.lanes.forEach((lane, l) => {
      for (let zone = 0; zone < lane.count; ++zone)
        if (isMatch(lane, zone)) found.push([r, l, zone]);
    }));
  return found.sort((a, b) => rows[a[0]].lanes[a[1]].begin[a[2]] - rows[b[0]].lanes[b[1]].begin[b[2]]);
}

function duration(ns) {
  const size = Math.abs(ns);
  if (size >= 1e9) return (ns / 1e9).toFixed(3) + ' s';
  if (size >= 1e6) return (ns / 1e6).toFixed(3) + ' ms';
  if (size >= 1e3) return (ns / 1e3).toFixed(2) + ' us';
  return ns.toFixed(0) + ' ns';
}
/// A time of an axis, with as many digits as tell it from its neighbour `step` away. `most`: the largest of the axis.
function axisText(ns, step, most) {
  const [unit, name] = most >= 1e9 ? [1e9, 's'] : most >= 1e6 ? [1e6, 'ms'] : most >= 1e3 ? [1e3, 'us'] : [1, 'ns'];
  return (ns / unit).toFixed(Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9))) + ' ' + name;
}
const percent = share => (100 * share).toFixed(1) + ' %';
/// An op has the colour of its kind in all rows: from a hash of the name.
const colors = new Map();
function colorOf(lane, zone) {
  const kind = lane.kind[zone];
  if (kind !== OP && kind !== 6) return KINDS[kind].color;
  const name = lane.op[zone] >= 0 ? data.ops[lane.op[zone]].kind : lane.name[zone];
  let color = colors.get(name);
  if (!color) {
    let hash = 0;
    for (const character of text(name)) hash = Math.imul(hash, 31) + character.charCodeAt(0) >>> 0;
    color = `hsl(${kind === OP ? 190 + hash % 90 : 300 + hash % 60} ${45 + (hash >> 8) % 30}% ${44 + (hash >> 16) % 18}%)`;
    colors.set(name, color);
  }
  return color;
}
