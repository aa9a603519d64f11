// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The panels below the timeline.

function describe([row, depth, zone]) {
  const lane = rows[row].lanes[depth];
  const op = lane.op[zone] >= 0 ? data.ops[lane.op[zone]] : null;
  const list = [['name', text(lane.name[zone])], ['kind', KINDS[lane.kind[zone]].name]];
  if (lane.detail[zone] >= 0) list.push(['source', text(lane.detail[zone])]);
  list.push(['row', (rows.slice(0, row + 1).reverse().find(r => r.group) || {group: ''}).group + ', ' + rows[row].name]);
  list.push(['begins', duration(lane.begin[zone])], ['takes', duration(lane.end[zone] - lane.begin[zone])]);
  if (zone > 0) list.push(['gap before', duration(lane.begin[zone] - lane.end[zone - 1])]);
  if (op) {
    list.push(['median of all', duration(op.median) + `, ${op.count} times`]);
    if (op.bytes) list.push(['DRAM', `${bytesText(op.bytes)}, ${(op.bytes / op.median).toFixed(2)} GB/s`]);
    if (op.flops) list.push(['operations', `${si(op.flops, '')}, ${si(op.flops / op.median * 1e9, '/s')}`]);
    if (op.peak !== undefined) list.push(['of peak', percent(op.peak)]);
    if (op.band !== undefined) list.push(['of bandwidth', percent(op.band)]);
  }
  return list;
}
function showDetails() {
  $('details').replaceChildren(element('h2', 'Selected'),
    selected ? definitions(describe(selected)) : element('p', 'Click a zone.', {class: 'soft'}));
  markDot();
}

const count = value => value === undefined ? '' : Math.round(value).toLocaleString('en');
const ratio = value => value === undefined ? '' : value.toFixed(2);
/// A share that may be unknown.
const known = share => share === undefined ? '' : percent(share);
const COLUMNS = [
  ['trace', 'trace'], ['command', 'command', command => command < 0 ? '' : String(command)], ['name', 'program'], ['source', 'source'], ['grid', 'grid', String],
  ['count', 'times', String], ['median', 'median', duration], ['least', 'least', duration], ['p90', '90 %', duration],
  ...data.counters.map(([field, name]) => [field, name, count]),
  ...(data.ops.some(op => 'ipc' in op) ? [['ipc', 'IPC', ratio]] : []),
  ...(data.ops.some(op => 'misses' in op) ? [['misses', 'cache misses of 1000', ratio]] : []),
  ['bytes', 'DRAM', bytesText], ['rate', 'GB/s', rate => rate ? rate.toFixed(1) : ''],
  ['flops', 'operations', number => number ? si(number, '') : ''], ['peak', '% of peak', known], ['band', '% of bandwidth', known],
  ['share', 'share', percent]];
for (const op of data.ops) op.rate = op.median && op.bytes ? op.bytes / op.median : 0;
const shown = {column: 'share', down: true};
const cell = (op, name) => ['trace', 'name', 'source', 'kind'].includes(name) ? text(op[name]) : op[name];

/// Selects the first execution of an op.
function selectOp(index) {
  for (let row = 0; row < rows.length; ++row)
    for (let depth = 0; depth < rows[row].lanes.length; ++depth) {
      const zone = rows[row].lanes[depth].op.indexOf(index);
      if (zone >= 0) {
        select([row, depth, zone], true);
        return showZone([row, depth, zone]);
      }
    }
}

function showOps() {
  const most = Math.max(...data.ops.map(op => op.share), 1e-9);
  const list = data.ops.map((op, index) => [op, index]).filter(([op]) =>
    !matching || matching[op.name] || (op.source >= 0 && matching[op.source]));
  list.sort(([a], [b]) => {
    const left = cell(a, shown.column) ?? -1, right = cell(b, shown.column) ?? -1; // not counted: first
    return (left < right ? -1 : left > right ? 1 : 0) * (shown.down ? -1 : 1);
  });
  const table = document.createElement('table'), head = document.createElement('tr'), body = document.createElement('tbody');
  for (const [name, title, format] of COLUMNS) {
    const button = element('button', title + (shown.column === name ? (shown.down ? ' ▾' : ' ▴') : ''));
    button.onclick = () => {
      shown.down = shown.column === name ? !shown.down : Boolean(format);
      shown.column = name;
      showOps();
    };
    head.append(element('th', button, {class: format ? 'number' : '', 'data-column': name}));
  }
  for (const [op, index] of list.slice(0, 500)) {
    const line = document.createElement('tr');
    for (const [name, , format] of COLUMNS) {
      const words = format ? format(op[name]) : String(cell(op, name) ?? '');
      const made = element('td', words, {class: format ? 'number' : words.length > 28 ? 'long' : ''});
      if (name === 'share') {
        made.classList.add('bar');
        made.style.setProperty('--part', 100 * op.share / most + '%');
      }
      line.append(made);
    }
    line.onclick = () => selectOp(index);
    body.append(line);
  }
  table.append(element('thead', head), body);
  $('ops').replaceChildren(element('h2', `Ops: ${list.length}` + (list.length > 500 ? ', the first 500 in this order' : '')), table);
}

/// A table with a heading, where there is something to show.
function listing(where, title, columns, list) {
  if (!list.length) return;
  const table = document.createElement('table'), head = document.createElement('tr'), body = document.createElement('tbody');
  for (const [name, , format] of columns) head.append(element('th', name, {class: format ? 'number' : ''}));
  for (const item of list) {
    const line = document.createElement('tr');
    for (const [, value, format] of columns)
      line.append(element('td', format ? format(value(item)) : value(item), {class: format ? 'number' : ''}));
    body.append(line);
  }
  table.append(element('thead', head), body);
  where.append(element('h2', title), table);
  where.hidden = false;
}
const ZONE_KINDS = {zone: 'zone', total: 'sum', data: 'data', event: 'event'};
function showZones() {
  const names = [['zone', zone => text(zone.zone)], ['kind', zone => ZONE_KINDS[zone.kind]],
    ['program', zone => text(zone.program)], ['times', zone => zone.count, String]];
  listing($('zones'), 'Zones of programs', [...names, ['total', zone => zone.total, duration],
    ['median of a command', zone => zone.median, duration], ['share of the program', zone => zone.share, percent]], data.zones);
  const number = name => [name, zone => zone.kind === 'data' ? zone[name] : '', String];
  listing($('zones'), 'Data and events of programs', [...names, number('least'), number('median'), number('most')], data.values);
}

function showKinds() {
  const table = document.createElement('table');
  const most = Math.max(...data.kinds.map(kind => kind.share), 1e-9);
  for (const kind of data.kinds) {
    const line = document.createElement('tr'), share = element('td', percent(kind.share), {class: 'bar'});
    share.style.setProperty('--part', 100 * kind.share / most + '%');
    line.append(element('td', text(kind.name)), element('td', kind.commands + (kind.commands === 1 ? ' command' : ' commands')), share);
    table.append(line);
  }
  $('kinds').append(table);
}

function showUses() {
  const palette = ['#3b82f6', '#115e59', '#c3bfbc', '#42a142', '#efa93f', '#9246b9', '#e4e4e4'];
  for (const use of data.uses) {
    const stack = element('div', '', {class: 'stack'}), list = document.createElement('table');
    use.values.forEach((value, index) => {
      const part = element('i');
      part.style.background = palette[index];
      part.style.width = 100 * value / use.span + '%';
      stack.append(part);
      const line = document.createElement('tr'), swatch = element('i');
      swatch.style.cssText = `display:inline-block;width:10px;height:10px;border-radius:2px;margin-right:6px;background:${palette[index]}`;
      const name = element('td', swatch);
      name.append(use.names[index]);
      line.append(name, element('td', duration(value)), element('td', percent(value / use.span)));
      list.append(line);
    });
    $('uses').append(element('p', `${use.name}: ${duration(use.span)}`, {class: 'soft'}), stack, list);
  }
}

function showHead() {
  document.title = 'ttc profile: ' + data.title;
  $('subject').textContent = `${data.title}, ${data.recorded}, ${zoneCount.toLocaleString('en')} zones; clocks agree within ${data.clock.rms.toFixed(0)} ns (RMS of ${data.clock.samples} samples)`;
  for (const line of data.verdicts) $('verdicts').append(element('p', line.replaceAll(' %', '\u00a0%')));
  for (const line of data.problems) $('verdicts').append(element('p', line, {class: 'bad'}));
  const kinds = new Set(rows.flatMap(row => row.lanes.flatMap(lane => [...new Set(lane.kind)])));
  const marks = new Set(data.marks.map(([, kind]) => kind));
  for (const {name, color} of [...KINDS.filter((kind, index) => kinds.has(index)),
    ...Object.entries(MARK_COLORS).filter(([kind]) => marks.has(kind)).map(([name, color]) => ({name, color: `var(--${color})`}))]) {
    const made = element('span'), swatch = element('i');
    swatch.style.background = color;
    made.append(swatch, name);
    $('legend').append(made);
  }
}
