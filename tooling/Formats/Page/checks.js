// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the tests of the pages: with #selftest in the address, a page tests itself and appends the outcome as JSON, for a
// browser that can only dump the loaded document.
'use strict';

const contrast = (one, other) =>
  (Math.max(luminance(one), luminance(other)) + 0.05) / (Math.min(luminance(one), luminance(other)) + 0.05);
const kReadable = 4.5; // the least contrast of text, by WCAG 2

class SelfTest {
  failures = [];
  timing = {};
  seed = 1;
  check = (what, good) => { if (!good) this.failures.push(what); };
  random = () => (this.seed = Math.imul(this.seed, 1103515245) + 12345 >>> 0) / 2 ** 32;
  key = (name, target = canvas, shift = false) =>
    target.dispatchEvent(new KeyboardEvent('keydown', {key: name, shiftKey: shift, bubbles: true, cancelable: true}));

  /// Each text is inside of [left, right], on no other one, and readable on what is below it.
  checkTexts(what, texts, left, right) {
    for (const text of texts) {
      this.check(`${what}: '${text.text}' is cut off`, text.left >= left - 1 && text.right <= right + 1);
      this.check(`${what}: '${text.text}' is ${text.ink} on ${text.below}`, !text.below || contrast(text.ink, text.below) >= kReadable);
    }
    texts.sort((a, b) => a.top - b.top);
    texts.forEach((one, index) => {
      for (const other of texts.slice(index + 1)) {
        if (other.top >= one.bottom - 1) break;
        this.check(`${what}: '${one.text}' is on '${other.text}'`, one.right <= other.left + 1 || other.right <= one.left + 1);
      }
    });
  }
  /// What a function paints on a canvas. What is painted over later does not count.
  checkPainting(what, context, paint) {
    const boxes = [], texts = [];
    context.fillRect = function (x, y, width, height) {
      if (this.globalAlpha === 1) boxes.push({x, y, width, height, color: this.fillStyle});
      CanvasRenderingContext2D.prototype.fillRect.call(this, x, y, width, height);
    };
    context.fillText = function (text, x, y) {
      const {actualBoundingBoxLeft: left, actualBoundingBoxRight: right, actualBoundingBoxAscent: up,
        actualBoundingBoxDescent: down} = this.measureText(text);
      texts.push({text, left: x - left, right: x + right, top: y - up, bottom: y + down, ink: this.fillStyle,
        alpha: this.globalAlpha, boxes: boxes.length});
      CanvasRenderingContext2D.prototype.fillText.call(this, text, x, y);
    };
    paint();
    delete context.fillRect;
    delete context.fillText;
    const over = (text, from, to) => boxes.slice(from, to).findLast(({x, y, width, height}) => {
      const middle = (text.left + text.right) / 2, line = (text.top + text.bottom) / 2;
      return x <= middle && middle <= x + width && y <= line && line <= y + height;
    });
    const seen = texts.filter(text => text.alpha === 1 && text.text && !over(text, text.boxes, boxes.length))
      .map(text => ({...text, below: over(text, 0, text.boxes)?.color}));
    this.checkTexts(what, seen, 0, context.canvas.clientWidth);
    return seen.map(({text}) => text);
  }
  /// The texts of a picture in the document.
  checkPicture(what, picture) {
    const frame = picture.getBoundingClientRect();
    this.checkTexts(what, [...picture.querySelectorAll('text')].map(node => ({text: node.textContent,
      ...node.getBoundingClientRect().toJSON()})), frame.left, frame.right);
    this.check(`${what} is higher than what it shows`, frame.height <= 480 && frame.width <= 1000);
  }
  /// Text of the document is readable, and no number is broken at the end of a line.
  checkDocument(what) {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange();
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (!node.data.trim() || parent.closest('script, svg, canvas') || !parent.getClientRects().length) continue;
      let around = parent;
      while (around && /, 0\)$|^transparent$/.test(getComputedStyle(around).backgroundColor)) around = around.parentElement;
      const ink = getComputedStyle(parent).color, below = around ? getComputedStyle(around).backgroundColor : style.back;
      this.check(`${what}: '${node.data.slice(0, 60)}' is ${ink} on ${below}`, contrast(ink, below) >= kReadable);
      for (const {0: number, index} of node.data.matchAll(/\d[\d,.]*\d/g)) {
        range.setStart(node, index);
        range.setEnd(node, index + number.length);
        const lines = new Set([...range.getClientRects()].map(line => Math.round(line.top)));
        this.check(`${what}: ${number} is broken`, lines.size <= 1);
      }
    }
  }
  finish(more) {
    const {failures, timing} = this;
    document.body.append(element('pre', JSON.stringify({failures, timing, title: document.title,
      scripts: document.scripts.length, elements: document.querySelectorAll('*').length, ...more}), {id: 'selftest'}));
  }
}
