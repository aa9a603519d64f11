// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which core reads and writes which memory, as a heat map: rows are cores, columns memories.
'use strict';

const HEAT = {left: 52, top: 18, cell: 14, most: 560, gap: 6, wide: 36};
const memoryName = (traffic, memory) =>
  memory < traffic.cores ? `L1 ${memory}` : memory === traffic.cores ? 'L1 interleaved' : 'DRAM';

/// A heat map of one direction. The colour is logarithmic.
class Heat {
  constructor(traffic, kind) {
    this.traffic = traffic;
    this.cells = traffic[kind];
    this.kind = kind;
    this.most = Math.max(1, ...this.cells.map(row => Math.max(...row)));
    this.columns = traffic.cores + 2;
    // Smaller cells where there are many.
    this.size = Math.max(4, Math.min(HEAT.cell, Math.floor(HEAT.most / this.columns)));
    this.canvas = element('canvas', '', {role: 'img', 'aria-label': `Bytes ${kind} by core and memory`});
    this.note = element('output', '', {class: 'soft'});
    this.canvas.addEventListener('pointermove', event => {
      const box = this.canvas.getBoundingClientRect();
      this.note.textContent = this.describe(this.at(event.clientX - box.left, event.clientY - box.top));
    });
    this.canvas.addEventListener('pointerleave', () => { this.note.textContent = this.describe(null); });
    this.note.textContent = this.describe(null);
  }
  /// Where the column of a memory is. The L1s of the cores are cells; L1 interleaved and DRAM have room for their names.
  left(memory) {
    const extra = memory - this.traffic.cores;
    return HEAT.left + Math.min(memory, this.traffic.cores) * this.size + (extra < 0 ? 0 : HEAT.gap + extra * HEAT.wide);
  }
  wide(memory) { return memory < this.traffic.cores ? this.size : HEAT.wide; }
  /// [core, memory] at a point of the canvas, or null.
  at(x, y) {
    const core = Math.floor((y - HEAT.top) / this.size);
    if (core < 0 || core >= this.traffic.cores) return null;
    for (let memory = 0; memory < this.columns; ++memory)
      if (x >= this.left(memory) && x < this.left(memory) + this.wide(memory)) return [core, memory];
    return null;
  }
  describe(found) {
    if (!found) return `${this.kind}: ${bytesText(this.cells.flat().reduce((a, b) => a + b, 0))} in all, at most ${bytesText(this.most)} in a cell`;
    const [core, memory] = found;
    return `${this.kind}: core ${core}, ${memoryName(this.traffic, memory)}: ${bytesText(this.cells[core][memory])}`;
  }
  /// 0 (nothing) to 1 (the most).
  heat(core, memory) {
    const count = this.cells[core][memory];
    return count ? 0.15 + 0.85 * Math.log2(1 + count) / Math.log2(1 + this.most) : 0;
  }
  draw() {
    const ratio = window.devicePixelRatio || 1;
    const wide = this.left(this.columns), high = HEAT.top + this.traffic.cores * this.size;
    this.canvas.width = wide * ratio;
    this.canvas.height = high * ratio;
    this.canvas.style.width = wide + 'px';
    this.canvas.style.height = high + 'px';
    const context = this.canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = '10px system-ui, "DejaVu Sans", sans-serif';
    for (let core = 0; core < this.traffic.cores; ++core)
      for (let memory = 0; memory < this.columns; ++memory) {
        const heat = this.heat(core, memory);
        context.globalAlpha = heat || 1;
        context.fillStyle = heat ? style.accent : style.line;
        context.fillRect(this.left(memory), HEAT.top + core * this.size, this.wide(memory) - 1, this.size - 1);
      }
    context.globalAlpha = 1;
    context.fillStyle = style.soft;
    const every = niceStep(24 / this.size);
    for (let core = 0; core < this.traffic.cores; core += every) {
      context.fillText(`core ${core}`, 2, HEAT.top + core * this.size + Math.min(10, this.size));
      context.fillText(String(core), this.left(core), HEAT.top - 6);
    }
    context.fillText('L1', this.left(this.traffic.cores), HEAT.top - 6);
    context.fillText('DRAM', this.left(this.traffic.cores + 1), HEAT.top - 6);
  }
}

const heats = data.traffic.flatMap(traffic => traffic ? [new Heat(traffic, 'read'), new Heat(traffic, 'written')] : []);
function drawTraffic() {
  for (const heat of heats) heat.draw();
}
function showTraffic() {
  const section = $('traffic');
  section.hidden = !heats.length;
  if (!heats.length) return;
  const maps = element('div', '', {class: 'heats'}), key = element('p', '', {class: 'soft'});
  for (const heat of heats) {
    const map = element('div', heat.note);
    map.append(heat.canvas);
    maps.append(map);
  }
  key.append('One execution of each command, by the plan. Columns: the L1 of each core, L1 interleaved, DRAM. A cell: nothing ',
    element('i', '', {class: 'none'}), ', a byte ', element('i', '', {class: 'scale'}), ' the most; the scale is logarithmic.');
  section.append(element('h2', 'Traffic between cores and memories'), maps, key);
  drawTraffic();
}
