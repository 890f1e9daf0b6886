/** The type of a message before it is rendered: an id and params. Knows no text and no language. */

/** An outside text, a number, or another message. */
export type Param = string | number | Message;

export type Params = Readonly<Record<string, Param>>;

/** A sentence, or part of one; also its form in `/api`, next to the text. */
export interface Message {
  readonly id: string;
  /** Absent when the text has none. */
  readonly params?: Params | undefined;
}
