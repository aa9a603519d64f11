// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mouse, keys, search and theme.
'use strict';

let found = [], current = -1;
function search() {
  setSearch($('search').value);
  found = matches();
  current = -1;
  $('matches').textContent = matching ? `${found.length} found` : '';
  showOps();
  redraw();
}
function nextMatch(by) {
  if (!found.length) return;
  current = (current + by + found.length) % found.length;
  $('matches').textContent = `${current + 1} of ${found.length}`;
  select(found[current], true);
}
function nextZone(by) {
  if (!selected) return;
  const [row, depth, zone] = selected, lane = rows[row].lanes[depth];
  if (zone + by >= 0 && zone + by < lane.count) select([row, depth, zone + by], true);
}
function clearAll() {
  $('search').value = '';
  search();
  select(null);
}

canvas.addEventListener('wheel', event => {
  event.preventDefault();
  const amount = event.deltaY || event.deltaX;
  if (event.altKey) scroll(amount / 3);
  else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan(amount / 1000);
  else zoom(Math.exp(Math.min(Math.max(event.deltaY, -300), 300) / 500), timeOf(event.clientX - canvas.getBoundingClientRect().left));
}, {passive: false});

let drag = null;
canvas.addEventListener('pointerdown', event => {
  canvas.setPointerCapture?.(event.pointerId);
  drag = {x: event.clientX, y: event.clientY, begin: view.begin, end: view.end, top: view.top, moved: false};
});
canvas.addEventListener('pointermove', event => {
  const box = canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
  if (drag) {
    drag.moved ||= Math.abs(event.clientX - drag.x) + Math.abs(event.clientY - drag.y) > 3;
    if (!drag.moved) return;
    const by = (drag.x - event.clientX) / (width - LABEL) * (drag.end - drag.begin);
    view.top = Math.min(Math.max(0, drag.top + drag.y - event.clientY), Math.max(0, total - height));
    setView(drag.begin + by, drag.end + by);
    $('tip').hidden = true;
    return;
  }
  const over = hit(x, y);
  showTip(x, y, ...(over ? [definitions(describe(over))] : marksAt(x, y)));
});
canvas.addEventListener('pointerup', event => {
  const box = canvas.getBoundingClientRect();
  if (drag && !drag.moved) select(hit(event.clientX - box.left, event.clientY - box.top));
  drag = null;
});
canvas.addEventListener('pointerleave', () => { $('tip').hidden = true; });
canvas.addEventListener('dblclick', event => {
  const box = canvas.getBoundingClientRect(), over = hit(event.clientX - box.left, event.clientY - box.top);
  if (over) showZone(over);
});

const KEYS = {
  'w': () => zoom(0.8), '+': () => zoom(0.8), '=': () => zoom(0.8), 's': () => zoom(1.25), '-': () => zoom(1.25),
  'a': () => pan(-0.1), 'ArrowLeft': () => pan(-0.1), 'd': () => pan(0.1), 'ArrowRight': () => pan(0.1),
  'ArrowUp': () => scroll(-40), 'ArrowDown': () => scroll(40),
  '0': () => setView(0, span), 'f': () => { if (selected) showZone(selected); },
  '.': () => nextZone(1), ',': () => nextZone(-1), 'n': () => nextMatch(1), 'N': () => nextMatch(-1),
  '/': () => $('search').focus(), '?': () => $('help').showModal(), 'Escape': clearAll};
document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || $('help').open) return;
  if (event.target === $('search')) {
    if (event.key === 'Enter') { nextMatch(event.shiftKey ? -1 : 1); canvas.focus(); }
    else if (event.key === 'Escape') { clearAll(); canvas.focus(); }
    return;
  }
  // Arrows scroll the page unless the timeline has the focus.
  if (event.key.startsWith('Arrow') && event.target !== canvas) return;
  const action = KEYS[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

$('search').addEventListener('input', search);
$('zoom-in').onclick = () => zoom(0.6);
$('zoom-out').onclick = () => zoom(1 / 0.6);
$('fit').onclick = () => setView(0, span);
$('fit-selected').onclick = () => { if (selected) showZone(selected); };
restyled.push(drawTraffic);
new ResizeObserver(redraw).observe(stage);

restyle();
showHead();
showUses();
showKinds();
showRoofline();
showTraffic();
showOps();
showZones();
draw();
