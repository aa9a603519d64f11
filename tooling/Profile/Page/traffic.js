// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which core reads and writes which memory, as a heat map: rows are cores, columns memories.
'use strict';

const HEAT = {left: 44, top: 18, cell: 14};
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
    this.size = Math.max(4, Math.min(HEAT.cell, Math.floor(900 / this.columns)));
    this.canvas = element('canvas', '', {role: 'img', 'aria-label': `Bytes ${kind} by core and memory`});
    this.note = element('output', '', {class: 'soft'});
    this.canvas.addEventListener('pointermove', event => {
      const box = this.canvas.getBoundingClientRect();
      this.note.textContent = this.describe(this.at(event.clientX - box.left, event.clientY - box.top));
    });
    this.canvas.addEventListener('pointerleave', () => { this.note.textContent = this.describe(null); });
    this.note.textContent = this.describe(null);
  }
  /// [core, memory] at a point of the canvas, or null.
  at(x, y) {
    const core = Math.floor((y - HEAT.top) / this.size), memory = Math.floor((x - HEAT.left) / this.size);
    return core >= 0 && memory >= 0 && core < this.traffic.cores && memory < this.columns ? [core, memory] : null;
  }
  describe(found) {
    if (!found) return `${this.kind}: ${bytesText(this.cells.flat().reduce((a, b) => a + b, 0))} in all`;
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
    const wide = HEAT.left + this.columns * this.size, high = HEAT.top + this.traffic.cores * this.size;
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
        context.fillRect(HEAT.left + memory * this.size, HEAT.top + core * this.size, this.size - 1, this.size - 1);
      }
    context.globalAlpha = 1;
    context.fillStyle = style.soft;
    const every = Math.ceil(24 / this.size);
    for (let core = 0; core < this.traffic.cores; core += every) {
      context.fillText(`core ${core}`, 2, HEAT.top + core * this.size + Math.min(10, this.size));
      context.fillText(String(core), HEAT.left + core * this.size, HEAT.top - 6);
    }
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
  section.append(element('h2', 'Traffic between cores and memories'));
  for (const heat of heats) section.append(heat.note, element('div', heat.canvas));
  section.append(element('p', 'One execution of each command, by the plan. Columns: the L1 of each core, L1 interleaved, DRAM.', {class: 'soft'}));
  drawTraffic();
}
