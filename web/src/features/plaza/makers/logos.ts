/**
 * The drawings of makers' logos, each a single file of simple-icons (CC0; logos under another licence in its
 * list are left out). They stay their owners' marks and only name the maker. A chunk of its own: a monogram
 * stands there until it is loaded. Knows no React.
 */
import anthropic from "simple-icons/icons/anthropic.svg?raw";
import baidu from "simple-icons/icons/baidu.svg?raw";
import bytedance from "simple-icons/icons/bytedance.svg?raw";
import databricks from "simple-icons/icons/databricks.svg?raw";
import deepseek from "simple-icons/icons/deepseek.svg?raw";
import elevenlabs from "simple-icons/icons/elevenlabs.svg?raw";
import google from "simple-icons/icons/google.svg?raw";
import meituan from "simple-icons/icons/meituan.svg?raw";
import meta from "simple-icons/icons/meta.svg?raw";
import mistral from "simple-icons/icons/mistralai.svg?raw";
import moonshot from "simple-icons/icons/moonshotai.svg?raw";
import nvidia from "simple-icons/icons/nvidia.svg?raw";
import perplexity from "simple-icons/icons/perplexity.svg?raw";
import qwen from "simple-icons/icons/qwen.svg?raw";
import tencent from "simple-icons/icons/tencenthy.svg?raw";
import xiaomi from "simple-icons/icons/xiaomi.svg?raw";
import zai from "simple-icons/icons/zdotai.svg?raw";

/** The path of a drawing of 24 by 24. */
function pathOf(svg: string): string {
  return /\sd="([^"]+)"/.exec(svg)?.[1] ?? "";
}

/** By the maker's name. */
export const logoPaths: Readonly<Record<string, string>> = {
  Anthropic: pathOf(anthropic),
  Baidu: pathOf(baidu),
  ByteDance: pathOf(bytedance),
  Databricks: pathOf(databricks),
  DeepSeek: pathOf(deepseek),
  ElevenLabs: pathOf(elevenlabs),
  Google: pathOf(google),
  Meituan: pathOf(meituan),
  Meta: pathOf(meta),
  "Mistral AI": pathOf(mistral),
  "Moonshot AI": pathOf(moonshot),
  NVIDIA: pathOf(nvidia),
  Perplexity: pathOf(perplexity),
  Qwen: pathOf(qwen),
  Tencent: pathOf(tencent),
  Xiaomi: pathOf(xiaomi),
  "Z.ai": pathOf(zai),
};
