/** What a message is before it is put into words: an id and params. Knows no text and no language. */

/** A text from outside, a number, or another message. */
export type Param = string | number | Message;

export type Params = Readonly<Record<string, Param>>;

/** One sentence, or a part of one, where it is made; also its wire form beside the text in `/api`. */
export interface Message {
  readonly id: string;
  /** Absent where the text has none. */
  readonly params?: Params | undefined;
}
