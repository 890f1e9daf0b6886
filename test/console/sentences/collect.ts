/**
 * Collects the sentences in a source file: texts and joined templates, with `{n}` for variable parts. For
 * tests.
 */
import { parseSync } from "vite";

/** A node of a syntax tree. */
type Piece = Readonly<Record<string, unknown>> & { readonly type: string };

/** A sentence and its position. */
export interface Found {
  readonly text: string;
  readonly line: number;
}

/** Selects nodes. */
export type Chosen = (piece: Piece) => boolean;

const isPiece = (value: unknown): value is Piece =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";

const isText = (piece: Piece): boolean =>
  piece.type === "TemplateLiteral" ||
  (piece.type === "Literal" && typeof piece["value"] === "string") ||
  (piece.type === "BinaryExpression" && piece["operator"] === "+");

const joined = (left: readonly string[], right: readonly string[]): string[] =>
  left.flatMap((begun) => right.map((rest) => begun + rest));

function templateTexts(piece: Piece): string[] {
  const quasis = piece["quasis"] as readonly { readonly value: { readonly cooked: string } }[];
  const expressions = piece["expressions"] as readonly Piece[];
  return quasis.reduce<string[]>(
    (texts, { value }, index) => {
      const expression = expressions[index];
      const begun = joined(texts, [value.cooked]);
      return expression === undefined ? begun : joined(begun, textsOf(expression));
    },
    [""],
  );
}

/** Every text an expression can evaluate to by its conditions; `{n}` for anything else. */
function textsOf(piece: Piece): string[] {
  switch (piece.type) {
    case "Literal":
      return [typeof piece["value"] === "string" ? piece["value"] : "{n}"];
    case "TemplateLiteral":
      return templateTexts(piece);
    case "BinaryExpression":
      return piece["operator"] === "+"
        ? joined(textsOf(piece["left"] as Piece), textsOf(piece["right"] as Piece))
        : ["{n}"];
    case "ConditionalExpression":
      return [...textsOf(piece["consequent"] as Piece), ...textsOf(piece["alternate"] as Piece)];
    default:
      return ["{n}"];
  }
}

/**
 * The expressions in a template: a text in one may be a separate sentence, unless the template selects it.
 */
function* partsOf(piece: Piece): Generator<unknown> {
  const expressions = piece.type === "TemplateLiteral" ? (piece["expressions"] as readonly Piece[]) : [];
  for (const expression of expressions)
    if (expression.type !== "ConditionalExpression" && !isText(expression)) yield expression;
}

export interface Looking {
  /** Nodes to skip, with their children. */
  readonly skips?: Chosen | undefined;
  /** Collect only texts inside such a node; absent: all. */
  readonly within?: Chosen | undefined;
}

/** The texts of a source file in order. */
export function sentencesIn(file: string, source: string, { skips, within }: Looking = {}): Found[] {
  const found: Found[] = [];
  const look = (value: unknown, isInside: boolean): void => {
    if (Array.isArray(value)) for (const one of value) look(one, isInside);
    if (!isPiece(value) || value.type.startsWith("TS") || skips?.(value) === true) return;
    const counts = isInside || within?.(value) === true;
    if (!isText(value)) for (const one of Object.values(value)) look(one, counts);
    else {
      const line = source.slice(0, value["start"] as number).split("\n").length;
      if (counts) found.push(...textsOf(value).map((text) => ({ text, line })));
      for (const part of partsOf(value)) look(part, counts);
    }
  };
  look(parseSync(file, source).program, within === undefined);
  return found;
}

/** True for a property of an object with one of these names. */
export const propertyOf =
  (...names: readonly string[]): Chosen =>
  ({ type, key }) =>
    type === "Property" && names.includes((key as { readonly name?: string }).name ?? "");
