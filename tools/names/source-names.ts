/** Finds metrics with their labels, and log events with their fields, in a source file. Pure. */
import { parseSync, Visitor } from "oxc-parser";

type Node = { readonly type: string; readonly [part: string]: unknown };

/** Names of an object's members, including conditional ones (`...(a ? { b } : {})`). */
function memberNames(value: Node): string[] {
  switch (value.type) {
    case "ParenthesizedExpression":
      return memberNames(value["expression"] as Node);
    case "ConditionalExpression":
      return [...memberNames(value["consequent"] as Node), ...memberNames(value["alternate"] as Node)];
    case "ObjectExpression":
      return (value["properties"] as Node[]).flatMap((member) => {
        if (member.type === "SpreadElement") return memberNames(member["argument"] as Node);
        const key = member["key"] as Node;
        return key.type === "Identifier" ? [key["name"] as string] : [];
      });
    default:
      return [];
  }
}

const textOf = (node: unknown): string | undefined => {
  const { type, value } = (node ?? {}) as Node;
  return type === "Literal" && typeof value === "string" ? value : undefined;
};

function membersOf(object: Node): ReadonlyMap<string, Node> {
  const members = (object["properties"] as Node[]).filter(({ type }) => type === "Property");
  return new Map(
    members.map((member) => [(member["key"] as { name: string }).name, member["value"] as Node]),
  );
}

const levels = ["info", "warn", "error"];

/** `log EVENT` and `log EVENT FIELD`, for log calls with a literal event name. */
function logNames(call: Node, source: string): string[] {
  const callee = call["callee"] as Node;
  if (callee.type !== "MemberExpression") return [];
  const target = callee["object"] as { start: number; end: number };
  const { name } = callee["property"] as { name: string };
  if (!levels.includes(name) || !/log$/i.test(source.slice(target.start, target.end))) return [];
  const [event, fields] = call["arguments"] as Node[];
  const word = textOf(event);
  if (word === undefined) return [];
  const inner = fields === undefined ? [] : memberNames(fields);
  return [`log ${word}`, ...inner.map((field) => `log ${word} ${field}`)];
}

/** Constants of the file that are objects or lists. */
type Constants = ReadonlyMap<string, Node>;

/** Label names: literal, by a constant, or both in one list. */
function labelNames(value: Node | undefined, constants: Constants): string[] {
  switch (value?.type) {
    case "ArrayExpression":
      return (value["elements"] as Node[]).flatMap((label) => labelNames(label, constants));
    case "SpreadElement":
      return labelNames(value["argument"] as Node, constants);
    case "Identifier":
      return labelNames(constants.get((value as unknown as { name: string }).name), constants);
    case "ObjectExpression": {
      const name = textOf(membersOf(value).get("name"));
      return name === undefined ? [] : [name];
    }
    default:
      return [];
  }
}

/** `metric NAME` and `metric NAME LABEL`. */
function metricNames(object: Node, constants: Constants): string[] {
  const members = membersOf(object);
  const name = textOf(members.get("name"));
  if (name === undefined || !members.has("help")) return [];
  const labels = labelNames(members.get("labels"), constants);
  return [`metric ${name}`, ...labels.map((label) => `metric ${name} ${label}`)];
}

/** All names in one file's text. */
export function sourceNames(source: string): string[] {
  const names: string[] = [];
  const constants = new Map<string, Node>();
  const { program } = parseSync("source.ts", source);
  new Visitor({
    VariableDeclarator: ({ id, init }) => {
      if (id.type === "Identifier" && init !== null) constants.set(id.name, init as unknown as Node);
    },
  }).visit(program);
  new Visitor({
    CallExpression: (node) => void names.push(...logNames(node as unknown as Node, source)),
    ObjectExpression: (node) => void names.push(...metricNames(node as unknown as Node, constants)),
  }).visit(program);
  return names;
}
