/** Which attachments are taken. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { imageBytesMax, imageFault, imagesMax } from "./images.ts";

test("type, size, number and sum are bounded", () => {
  const png = { type: "image/png", size: 10 };
  assert.equal(imageFault(png, []), undefined);
  assert.equal(imageFault({ ...png, type: "image/svg+xml" }, []), "type");
  for (const type of ["audio/x-wav", "audio/mpeg", "application/pdf"])
    assert.equal(imageFault({ ...png, type }, []), undefined, type);
  assert.equal(imageFault({ ...png, size: imageBytesMax + 1 }, []), "size");
  assert.equal(imageFault({ ...png, size: imageBytesMax }, []), undefined);
  assert.equal(
    imageFault(
      png,
      Array.from({ length: imagesMax }, () => ({ bytes: 1 })),
    ),
    "count",
  );
  assert.equal(imageFault(png, [{ bytes: imageBytesMax }, { bytes: imageBytesMax }]), "total");
});
