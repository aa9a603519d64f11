// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The test of the page by itself.
'use strict';

function selfTest() {
  const test = new SelfTest(), {check, key, random, timing} = test;

  draw();
  let zones = 0;
  rows.forEach((row, r) => row.lanes.forEach((lane, l) => {
    zones += lane.count;
    for (let zone = 1; zone < lane.count; ++zone)
      check(`row ${r}, lane ${l}: zones are disjoint and in order`, lane.end[zone - 1] <= lane.begin[zone]);
    // Searching against looking at every zone.
    for (let i = 0; i < 100; ++i) {
      const time = random() * span;
      let expected = -1;
      for (let zone = 0; zone < lane.count && expected < 0; ++zone)
        if (lane.begin[zone] <= time && time < lane.end[zone]) expected = zone;
      check(`row ${r}, lane ${l}: the zone at ${time}`, lane.at(time) === expected);
    }
  }));
  check('every zone is in a lane', zones === zoneCount && zones > 0);

  // Zooming in on each of some zones: what is drawn there can be hit, and is what it says.
  for (let i = 0; i < 50; ++i) {
    const row = Math.floor(random() * rows.length), depth = Math.floor(random() * rows[row].lanes.length);
    const lane = rows[row].lanes[depth];
    if (!lane?.count) continue;
    const zone = Math.floor(random() * lane.count);
    select([row, depth, zone], true);
    showZone([row, depth, zone]);
    draw();
    if (lane.end[zone] === lane.begin[zone]) continue;
    const middle = (lane.begin[zone] + lane.end[zone]) / 2;
    const over = hit(xOf(middle), layout[row] - view.top + depth * LANE + 4);
    check(`a zone of row ${row} can be hit`, over && over[0] === row && over[1] === depth && over[2] === zone);
    check('details name it', $('details').textContent.includes(text(lane.name[zone])));
  }
  key('0');
  check('0 shows everything', view.begin <= 0 && view.end >= span);
  const before = view.end - view.begin;
  key('w');
  check('w zooms in', view.end - view.begin < before);
  key('0');

  // The table: sorted by each column, both ways.
  for (const [name] of COLUMNS)
    for (let i = 0; i < 2; ++i) {
      $('ops').querySelector(`th[data-column="${name}"] button`).click();
      // In arrays: sort() puts what is undefined last, whatever the order.
      const values = data.ops.map(op => [cell(op, name)]), order = ([value]) => value ?? -1;
      const sorted = values.sort((a, b) => (order(a) < order(b) ? -1 : order(a) > order(b) ? 1 : 0) * (shown.down ? -1 : 1)).flat();
      const first = $('ops').querySelector('tbody tr');
      const column = COLUMNS.findIndex(([other]) => other === name), format = COLUMNS[column][2];
      check(`sorted by ${name}`, !first || first.children[column].textContent === String(format ? format(sorted[0]) : sorted[0] ?? ''));
    }
  const sum = data.kinds.reduce((all, kind) => all + kind.share, 0);
  check(`shares of kinds add up to 1, not ${sum}`, data.kinds.length === 0 || Math.abs(sum - 1) < 1e-6);
  for (const use of data.uses) {
    const all = use.values.reduce((a, b) => a + b, 0);
    check(`${use.name}: what the time is spent on adds up`, Math.abs(all - use.span) <= 1e-6 * use.span + 10);
  }

  // The roofline: each dot is where its op is, below the roofs, and selects it.
  const circles = [...$('roofline').querySelectorAll('.dot')];
  check('a dot for each op with operations and bytes',
    circles.length === data.ops.filter(op => op.flops > 0 && op.bytes > 0 && op.median > 0).length);
  for (const circle of circles) {
    const op = data.ops[circle.getAttribute('data-op')];
    const x = 10 ** (roofline.x[0] + (circle.getAttribute('cx') - ROOF.left) / (ROOF.width - ROOF.left - ROOF.right) * (roofline.x[1] - roofline.x[0]));
    const y = 10 ** (roofline.y[0] + (ROOF.height - ROOF.bottom - circle.getAttribute('cy')) / (ROOF.height - ROOF.top - ROOF.bottom) * (roofline.y[1] - roofline.y[0]));
    check('a dot is at its operations per byte', Math.abs(x / (op.flops / op.bytes) - 1) < 1e-6);
    check('a dot is at its operations per second', Math.abs(y / (op.flops / op.median * 1e9) - 1) < 1e-6);
    check('a dot is inside of the plot', x >= 10 ** roofline.x[0] && x <= 10 ** roofline.x[1] && y >= 10 ** roofline.y[0] && y <= 10 ** roofline.y[1]);
    check('hovering names the op', circle.textContent.includes(text(op.name)));
    circle.onclick();
    check('a dot selects its op', selected && rows[selected[0]].lanes[selected[1]].op[selected[2]] === Number(circle.getAttribute('data-op')));
    check('the dot of the selected op is marked', circle.classList.contains('selected') && $('roofline').querySelectorAll('.selected').length === 1);
  }
  check('only the notes say that dots are above the roof',
    $('roofline').textContent.includes('above the roof') === dots.some(isAbove));
  if (circles.length) test.checkPicture('the roofline', $('roofline').querySelector('svg'));
  check('a line for each roof', $('roofline').querySelectorAll('.roof').length === (circles.length ? roofs.length : 0));
  clearAll();
  key('0');

  // The heat maps: what is below the pointer is what is drawn there.
  for (const heat of heats)
    for (let core = 0; core < heat.traffic.cores; ++core)
      for (let memory = 0; memory < heat.columns; ++memory) {
        const over = heat.at(heat.left(memory) + heat.wide(memory) / 2, HEAT.top + (core + 0.5) * heat.size);
        check('a cell can be hit', over && over[0] === core && over[1] === memory);
        check('nothing is cold', (heat.heat(core, memory) > 0) === (heat.cells[core][memory] > 0) && heat.heat(core, memory) <= 1);
      }

  // What is painted, of everything and of parts of it, in both themes.
  for (const theme of ['dark', 'light']) {
    setTheme(theme);
    for (const part of [1, 0.1, 0.001]) {
      setView(span * (1 - part) / 2, span * (1 + part) / 2);
      const painted = test.checkPainting(`${theme}, ${part} of the timeline`, canvas.getContext('2d'), draw);
      check('the axis has labels', painted.filter(text => / [nu]?m?s$/.test(text)).length > 2);
    }
    // The last tick is at the right edge.
    const step = niceStep(span / 2 / (width - LABEL) * 110);
    setView(0, Math.ceil(span / 2 / step) * step * 1.002);
    test.checkPainting(`${theme}, a tick at the edge`, canvas.getContext('2d'), draw);
    for (const heat of heats) test.checkPainting(`${theme}, ${heat.kind}`, heat.canvas.getContext('2d'), () => heat.draw());
    test.checkDocument(theme);
  }
  // Frames, however many, hide nothing: below their strip, there is what is there without them.
  key('0');
  const pixels = () => {
    draw();
    const ratio = canvas.width / width, kept = canvas.getContext('2d').getImageData(0, AXIS * ratio, canvas.width, canvas.height - AXIS * ratio);
    return kept.data.join();
  };
  const marks = data.marks, bare = pixels();
  data.marks = Array.from({length: 400}, (_, index) => [span * index / 400, 'frame', 'frame', '', 0]).concat(marks);
  check('frames hide nothing', AXIS === TICKS || bare === pixels());
  data.marks = Array.from({length: 400}, (_, index) => [span * index / 400, index % 2 ? 'signpost' : 'message', `number ${index}`, '', 0]);
  if (AXIS > TICKS) {
    const names = test.checkPainting('400 signposts', canvas.getContext('2d'), draw).filter(text => text.startsWith('number'));
    check(`some of 400 signposts are named, not ${names.length}`, names.length > 3 && names.length < 50);
  }
  data.marks = marks;

  // Search finds what looking at every string finds.
  if (data.ops.length) {
    $('search').value = text(data.ops[0].name).slice(0, 4);
    search();
    let expected = 0;
    const wanted = $('search').value.toLowerCase();
    for (const row of rows)
      for (const lane of row.lanes)
        for (let zone = 0; zone < lane.count; ++zone)
          expected += text(lane.name[zone]).toLowerCase().includes(wanted) || text(lane.detail[zone]).toLowerCase().includes(wanted);
    check(`search finds ${expected}, not ${found.length}`, found.length === expected);
    key('n');
    check('n selects a match', selected !== null && isMatch(rows[selected[0]].lanes[selected[1]], selected[2]));
    key('Escape');
    check('Esc clears', selected === null && matching === null && $('search').value === '');
  }

  const programZones = [...$('zones').querySelectorAll('tbody tr')].map(line => [line.children[0].textContent, line.children[1].textContent]);
  check('every zone of a program has a line', programZones.length === data.zones.length + data.values.length && $('zones').hidden === !programZones.length);

  // Drawing while zooming from everything to 1/1000 of it.
  let frames = 0, most = 0, visited = 0;
  const begin = performance.now();
  for (let factor = 1; factor > 0.001; factor *= 0.93, ++frames) {
    const middle = span * (0.2 + 0.6 * random());
    view.begin = middle - span * factor / 2;
    view.end = middle + span * factor / 2;
    const started = performance.now();
    visited = Math.max(visited, draw());
    most = Math.max(most, performance.now() - started);
  }
  timing.zones = zoneCount;
  timing.draw_ms = (performance.now() - begin) / frames;
  timing.most_ms = most;
  timing.visited = visited;
  setView(0, span);
  test.finish({zones: programZones, dots: circles.length, roofs: roofs.length, heats: heats.length, table: $('ops').textContent});
}
if (location.hash === '#selftest') selfTest();
