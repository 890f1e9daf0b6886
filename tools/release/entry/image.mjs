#!/usr/bin/node --max-semi-space-size=8
/**
 * The `plaza` command of the image. The flag is in megabytes; tools/release/entry/plaza.mjs says why it is
 * there.
 */
import "../dist/release/start.mjs";
