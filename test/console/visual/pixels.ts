/**
 * Work on pixels that runs in the browser, as the text of a script: shrinks pictures, lays them out on a
 * sheet, compares them. Knows no file.
 */

/** Pixels of a picture's side that become one on the sheet. */
const scale = 3;
/** Width of the sheet in pixels: four windows of 1,280. */
const sheetWidth = 1_704;
/** Levels of 255 in any channel from which a pixel differs visibly. */
const visibleLevels = 24;

/** Defines `pixels` in the page. */
export const inBrowser = `globalThis.pixels = (() => {
  const canvasOf = (width, height) => Object.assign(document.createElement("canvas"), { width, height });
  const decode = async (type, base64) => {
    const image = new Image();
    image.src = "data:image/" + type + ";base64," + base64;
    await image.decode();
    const canvas = canvasOf(image.width, image.height);
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas;
  };
  const dataOf = (canvas, { x = 0, y = 0, width = canvas.width, height = canvas.height } = {}) =>
    canvas.getContext("2d").getImageData(x, y, width, height);
  const encode = (data, type = "image/png") => {
    const canvas = canvasOf(data.width, data.height);
    canvas.getContext("2d").putImageData(data, 0, 0);
    // Of the highest quality, WebP loses nothing.
    const url = canvas.toDataURL(type, 1);
    return url.slice(url.indexOf(",") + 1);
  };

  /** Every pixel is the mean of a square, which no browser's own scaling can change. */
  const shrink = async (png) => {
    const large = dataOf(await decode("png", png));
    const small = new ImageData(Math.floor(large.width / ${scale}), Math.floor(large.height / ${scale}));
    for (let y = 0; y < small.height; y += 1)
      for (let x = 0; x < small.width; x += 1)
        for (let channel = 0; channel < 4; channel += 1) {
          let sum = 0;
          for (let dy = 0; dy < ${scale}; dy += 1)
            for (let dx = 0; dx < ${scale}; dx += 1)
              sum += large.data[((y * ${scale} + dy) * large.width + x * ${scale} + dx) * 4 + channel];
          small.data[(y * small.width + x) * 4 + channel] = Math.round(sum / ${scale * scale});
        }
    return small;
  };

  const makeSheet = async (pictures) => {
    const places = [];
    const smalls = [];
    let [x, y, rowHeight] = [0, 0, 0];
    for (const { name, png } of pictures) {
      const small = await shrink(png);
      if (x + small.width > ${sheetWidth}) [x, y, rowHeight] = [0, y + rowHeight, 0];
      places.push({ name, x, y, width: small.width, height: small.height });
      smalls.push(small);
      x += small.width;
      rowHeight = Math.max(rowHeight, small.height);
    }
    const sheet = canvasOf(${sheetWidth}, y + rowHeight);
    const context = sheet.getContext("2d");
    context.fillRect(0, 0, sheet.width, sheet.height);
    smalls.forEach((small, at) => context.putImageData(small, places[at].x, places[at].y));
    return { webp: encode(dataOf(sheet), "image/webp"), places };
  };

  let sheet;
  const readSheet = async (webp) => {
    sheet = await decode("webp", webp);
  };

  /** In the picture of differences, what differs is red on the faded page. */
  const compare = async (png, place) => {
    const actual = await shrink(png);
    if (place === null || place.width !== actual.width || place.height !== actual.height)
      return { share: 1, mean: 255, actual: encode(actual), expected: "", diff: "" };
    const expected = dataOf(sheet, place);
    const diff = new ImageData(actual.width, actual.height);
    let [visible, sum] = [0, 0];
    for (let at = 0; at < actual.data.length; at += 4) {
      let most = 0;
      for (let channel = 0; channel < 3; channel += 1) {
        const levels = Math.abs(actual.data[at + channel] - expected.data[at + channel]);
        sum += levels;
        most = Math.max(most, levels);
        diff.data[at + channel] = 192 + expected.data[at + channel] / 4;
      }
      if (most >= ${visibleLevels}) {
        visible += 1;
        diff.data.set([200, 0, 0], at);
      }
      diff.data[at + 3] = 255;
    }
    const pixels = actual.data.length / 4;
    return {
      share: visible / pixels,
      mean: sum / pixels / 3,
      actual: encode(actual),
      expected: encode(expected),
      diff: encode(diff),
    };
  };

  return { makeSheet, readSheet, compare };
})(); undefined`;
