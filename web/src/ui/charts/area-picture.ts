/** A chart as a picture: what is drawn, with its title and its legend, on the page's background. */

export interface PictureParts {
  readonly plot: HTMLCanvasElement;
  readonly title: string;
  readonly legend: readonly { readonly label: string; readonly colour: string }[];
  readonly colours: { readonly surface: string; readonly ink: string };
}

const space = 16;
const line = 20;

/** PNG; as large as the drawing on the screen, with its pixels. */
export async function pictureOf({ plot, title, legend, colours }: PictureParts): Promise<Blob> {
  const scale = plot.width / Math.max(1, plot.clientWidth || plot.width);
  const width = plot.width / scale + 2 * space;
  const canvas = document.createElement("canvas");
  const pen = canvas.getContext("2d");
  if (pen === null) throw new Error("This browser draws no pictures.");
  const font = (size: number, weight = 400) => `${weight} ${size}px system-ui, sans-serif`;
  pen.font = font(12);
  // Labels flow into lines.
  const places: { x: number; y: number }[] = [];
  let [x, y] = [space, 0];
  for (const { label } of legend) {
    const needed = pen.measureText(label).width + 36;
    if (x > space && x + needed > width - space) [x, y] = [space, y + line];
    places.push({ x, y });
    x += needed;
  }
  const top = space + line + 8;
  const height = top + plot.height / scale + y + line + 2 * space;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  pen.scale(scale, scale);
  pen.fillStyle = colours.surface;
  pen.fillRect(0, 0, width, height);
  pen.fillStyle = colours.ink;
  pen.font = font(15, 600);
  pen.fillText(title, space, space + 14);
  pen.drawImage(plot, space, top, plot.width / scale, plot.height / scale);
  pen.font = font(12);
  for (const [at, { label, colour }] of legend.entries()) {
    const place = places[at] ?? { x: space, y: 0 };
    const base = top + plot.height / scale + space + place.y;
    pen.fillStyle = colour;
    pen.fillRect(place.x, base, 12, 12);
    pen.fillStyle = colours.ink;
    pen.fillText(label, place.x + 18, base + 11);
  }
  return await new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob === null) reject(new Error("This browser makes no pictures."));
      else resolve(blob);
    }, "image/png");
  });
}
