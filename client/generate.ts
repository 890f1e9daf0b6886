/**
 * Writes the types of `schema.ts` from the contract: every route that an operator token may call, as
 * `GET /api/openapi.json` describes it. `npm run docs` does, and a test compares.
 */
import openapiTS, { astToString } from "openapi-typescript";
import { openApiDocument } from "../server/src/control/openapi.ts";

interface Operation {
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const isForTokens = ({ security = [] }: Operation): boolean =>
  security.some((scheme) => scheme["operatorToken"] !== undefined);

/** The document without what needs the session of a browser. */
function tokenDocument(): Description {
  const document = openApiDocument("") as Description;
  const paths = Object.entries(document.paths).flatMap(([path, methods]) => {
    const kept = Object.entries(methods).filter(([, operation]) => isForTokens(operation));
    return kept.length === 0 ? [] : [[path, Object.fromEntries(kept)] as const];
  });
  return { ...document, paths: Object.fromEntries(paths) };
}

const opening = `/**
 * The routes of /api that an operator token may call. Generated from contract/api/ by \`npm run docs\`.
 */
`;

/** The text of `schema.ts`. */
export async function clientSchema(): Promise<string> {
  // What has a default may be left out of a body.
  const types = await openapiTS(tokenDocument() as never, { defaultNonNullable: false });
  return opening + astToString(types);
}
