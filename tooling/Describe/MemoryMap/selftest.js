// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The test of the page by itself.
'use strict';

function selfTest() {
  const test = new SelfTest(), {check, key, random, timing} = test;
  const mean = (count, work) => {
    const begin = performance.now();
    for (let i = 0; i < count; ++i) work(i);
    return (performance.now() - begin) / count;
  };
  const pointer = (type, x, y) => {
    const box = canvas.getBoundingClientRect();
    canvas.dispatchEvent(new PointerEvent(type, {clientX: box.left + x, clientY: box.top + y, pointerId: 1, bubbles: true}));
  };
  const tabs = [...$('tabs').children];

  let visited = 0;
  for (const tab of tabs) {
    tab.click();
    const panel = state.panel, name = panel.memory.title;
    check(`${name}: tab is selected`, tab.getAttribute('aria-selected') === 'true');
    check(`${name}: no block is lost`, panel.blocks.length === panel.memory.blocks.filter(b =>
      panel.memory.id !== 'l1' || isOnCore(b[8], b[9], panel.core)).length);

    // Hit testing against looking at every block.
    const [low, high] = panel.extent(true);
    for (let i = 0; i < 500; ++i) {
      const time = random() * points, offset = low + random() * (high - low), t = Math.floor(time);
      const all = panel.blocks.filter(b => b.begin <= t && t < b.end && b.offset <= offset && offset < b.offset + b.size);
      const found = panel.hit(time, offset);
      check(`${name}: hit at ${t}, ${offset}`, found ? all.includes(found) : all.length === 0);
      check(`${name}: blocks with a lifetime are on top`, !found || !found.always || all.every(b => b.always));
      visited = Math.max(visited, panel.visited);
    }
    timing[panel.memory.id + '_draw_ms'] = mean(10, draw);
    timing[panel.memory.id + '_hit_us'] = mean(2000, () => panel.hit(random() * points, low + random() * (high - low))) * 1000;

    for (const theme of ['dark', 'light']) {
      setTheme(theme);
      for (const shown of ['0', 'a', 'p']) {
        key(shown);
        test.checkPainting(`${name}, ${theme}, ${shown}`, pen, draw);
      }
      test.checkDocument(`${name}, ${theme}`);
    }
    key('a');

    // The peak, by looking at every block at every point where one begins.
    let peak = 0;
    for (const begin of new Set(panel.blocks.map(b => b.begin)))
      peak = Math.max(peak, panel.blocks.reduce((sum, b) =>
        sum + (!b.always && b.kind !== 'command' && b.begin <= begin && begin < b.end ? b.size : 0), 0));
    check(`${name}: peak is ${peak}, not ${panel.peak}`, panel.peak === peak);
    check(`${name}: the list of the peak sums up to it`, panel.atPeak().reduce((sum, b) => sum + b.size, 0) === peak);
  }

  // A block's colour is where the block is; the pointer shows what it is, and a click selects it.
  tabs[0].click();
  const panel = state.panel;
  const living = panel.blocks.filter(b => !b.always);
  const big = (living.length ? living : panel.blocks).reduce((most, b) => b.size * (b.end - b.begin) > most.size * (most.end - most.begin) ? b : most);
  setView(big.begin - 1, big.end + 1, big.offset - big.size, big.offset + 2 * big.size);
  draw();
  const [x, y, width, height] = boxOf(big), ratio = window.devicePixelRatio || 1;
  const pixel = pen.getImageData(Math.round((x + width - 3) * ratio), Math.round((y + height - 3) * ratio), 1, 1).data;
  pen.fillStyle = colourOf(big);
  pen.fillRect(0, 0, 4, 4);
  const wanted = pen.getImageData(1, 1, 1, 1).data;
  check(`pixel is ${[...pixel]}, expected about ${[...wanted]}`, [0, 1, 2].every(i => Math.abs(pixel[i] - wanted[i]) < 48));
  pointer('pointermove', x + width / 2, y + height / 2);
  const tip = $('tip').textContent;
  check('tooltip says label, name, bytes, lifetime and source', !$('tip').hidden && tip.includes(big.label) && tip.includes(big.name) &&
    tip.includes(exactText(big.size)) && tip.includes(lifetimeText(big)) && tip.includes(big.source));
  pointer('pointerdown', x + width / 2, y + height / 2);
  pointer('pointerup', x + width / 2, y + height / 2);
  check('click selects', state.selected === big && $('details').textContent.includes(big.name));
  const before = {...state.view};
  pointer('pointerdown', x, y);
  pointer('pointermove', x + 50, y + 20);
  pointer('pointerup', x + 50, y + 20);
  check('dragging moves', state.view.t0 < before.t0 && state.view.a0 > before.a0);
  canvas.dispatchEvent(new WheelEvent('wheel', {deltaY: -200, clientX: x + 100, clientY: y + 100, cancelable: true}));
  check('the wheel zooms', state.view.t1 - state.view.t0 < before.t1 - before.t0);

  // Keys alone.
  key('0');
  const all = {...state.view};
  key('+');
  check('+ zooms in', state.view.t1 - state.view.t0 < all.t1 - all.t0 && state.view.a1 - state.view.a0 < all.a1 - all.a0);
  const near = {...state.view};
  key('ArrowRight');
  check('arrows move', state.view.t0 > near.t0);
  key('[');
  check('[ changes time only', Math.abs(state.view.a0 - near.a0) < 1e-6 * (near.a1 - near.a0));
  key('0');
  check('0 shows everything', state.view.t0 === all.t0 && state.view.a1 === all.a1);
  key('Escape');
  key('.');
  const first = state.selected;
  key('.');
  check('. walks on', first && (state.selected !== first || panel.blocks.length === 1));
  key(',');
  check(', walks back', state.selected === first);
  if (data.memories.length > 1) {
    key('2');
    check('2 shows the second memory', state.panel.memory === data.memories[1]);
    key('1');
  }
  key('/');
  check('/ goes to the search', document.activeElement === $('search'));
  $('search').value = big.name;
  $('search').dispatchEvent(new Event('input'));
  check('search finds a buffer by its name', state.matches.includes(big) || !big.name.trim());
  check('search narrows', panel.blocks.length < 20 || state.matches.length < panel.blocks.length);
  // An op is found by everything it touches, in every memory: looked up here in the data itself.
  let found = 0;
  for (const [time, [what, of, source, touched]] of data.timeline.entries()) {
    if (!source || found > 50) continue;
    for (const memory of data.memories) {
      const panel = panelOf(memory.id), blocks = panel.blocks;
      const matches = new Set(panel.matching(source.replace(/\s+/g, ' ')));
      const wanted = blocks.filter(b => (b.buffer >= 0 && touched.some((t, i) => i % 2 === 0 && t === b.buffer)) || b.source === source);
      check(`${memory.id}: a search for the op of point ${time} finds all that it accesses`, wanted.every(b => matches.has(b)));
      found += wanted.length;
      for (const b of wanted.filter(b => b.buffer >= 0 && touched.some((t, i) => i % 2 === 0 && t === b.buffer)).slice(0, 4)) {
        const access = touched[touched.findIndex((t, i) => i % 2 === 0 && t === b.buffer) + 1];
        check(`${b.name} is ${access & 1 ? 'read' : 'not read'} and ${access & 2 ? 'written' : 'not written'} by ${source}`,
          (!(access & 1) || opsOf(b.buffer, 1).includes(source)) && (!(access & 2) || opsOf(b.buffer, 2).includes(source)));
        select(b);
        check(`the details of ${b.name} name the ops that access it`,
          [...(access & 1 ? ['read by'] : []), ...(access & 2 ? ['written by'] : [])].every(t => $('details').textContent.includes(t)));
      }
    }
  }
  select(null);
  for (const b of data.memories.flatMap(m => panelOf(m.id).blocks))
    check(`${b.kind} ${b.name} is labelled by its op, or by its name if it has no op or is the model's own`,
      b.label === (['activation', 'scratch', 'command'].includes(b.kind) && b.source ? b.source : b.name));
  key('Enter', $('search'));
  check('Enter selects a match', state.matched === null || state.matches.includes(state.selected));
  key('Escape');
  check('Escape clears', !state.matched && !state.selected && $('search').value === '');

  // Kinds can be switched off; both themes are there.
  const box = $('legend').querySelector('input');
  box.click();
  check('a kind that is off is not hit', !panel.shown.has(panel.kinds[0]) && panel.kinds.length === panel.shown.size + 1);
  box.click();
  setTheme('dark');
  const dark = style.back, darkBlock = colourOf(big);
  setTheme('light');
  check('light and dark differ', dark !== style.back && darkBlock !== colourOf(big));

  test.finish({visited, blocks: data.memories.map(m => m.blocks.length), found});
}
if (location.hash === '#selftest') selfTest();
