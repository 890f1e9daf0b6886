#!/usr/bin/node --max-semi-space-size=8
/**
 * The `plaza` command of the image. This line holds one flag; the other is in the image's variables
 * (tools/release/image/image.ts). server/bin/plaza.mjs says what they are for.
 */
import "../dist/release/start.mjs";
