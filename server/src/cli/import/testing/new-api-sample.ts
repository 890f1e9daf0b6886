/** For tests: a database as new-api makes it, as far as it is read, in the SQL of each database. */

/** Column types as GORM declares them. */
interface ColumnTypes {
  readonly integer: string;
  /** Of keys of tables. */
  readonly shortText: string;
  readonly text: string;
  readonly boolean: string;
  readonly time: string;
}

export const columnTypes = {
  sqlite: { integer: "integer", shortText: "text", text: "text", boolean: "numeric", time: "datetime" },
  mysql: {
    integer: "bigint",
    shortText: "varchar(191)",
    text: "longtext",
    boolean: "tinyint(1)",
    time: "datetime(3)",
  },
  postgres: {
    integer: "bigint",
    shortText: "text",
    text: "text",
    boolean: "boolean",
    time: "timestamptz",
  },
} as const satisfies Record<string, ColumnTypes>;

export const plainKey = "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGhIjKl";

/** Statements that make the sample; names are quoted as in standard SQL. */
export const newApiSample = ({ integer, shortText, text, boolean, time }: ColumnTypes): string[] => [
  `create table channels (id ${integer} primary key, type ${integer}, "key" ${text}, status ${integer}, name ${text},
    weight ${integer}, base_url ${text}, other ${text}, models ${text}, "group" ${text}, model_mapping ${text},
    priority ${integer})`,
  `create table options ("key" ${shortText} primary key, value ${text})`,
  `create table users (id ${integer} primary key, username ${shortText}, password ${text}, quota ${integer},
    status ${integer}, deleted_at ${time})`,
  `create table tokens (id ${integer} primary key, user_id ${integer}, "key" ${shortText}, status ${integer}, name ${text},
    expired_time ${integer}, remain_quota ${integer}, unlimited_quota ${boolean}, model_limits_enabled ${boolean},
    model_limits ${text}, allow_ips ${text}, "group" ${text}, deleted_at ${time})`,
  `insert into channels values
    (1, 1, 'sk-one\nsk-two', 1, 'Main account', 0, '', '', 'gpt-5-mini,alias', 'default', '{"alias":"gpt-5"}', 10),
    (2, 3, 'azure-key', 1, 'azure', 5, 'https://my.openai.azure.com', '2025-04-01-preview', 'gpt-5-mini', 'default', null, 0),
    (3, 43, 'sk-deep', 1, 'deep', 0, null, null, 'deepseek-chat', 'vip', '', 0),
    (4, 14, 'sk-off', 2, '备用', 0, null, null, 'claude-x', 'default', null, 0),
    (5, 36, 'k', 1, 'songs', 0, null, null, 'suno', 'default', null, 0)`,
  `insert into options values ('ModelRatio', '{"gpt-5-mini":0.125,"deepseek-chat":0.135}'),
    ('CompletionRatio', '{"gpt-5-mini":8}'), ('CacheRatio', '{"gpt-5-mini":0.1}')`,
  `insert into users values (7, 'ana', 'hash-of-ana', 617283500, 1, null), (8, 'bob', 'x', 9007199254740993, 2, null),
    (9, 'gone', 'x', 5, 1, '2026-01-01')`,
  `insert into tokens values
    (1, 7, '${plainKey}', 1, 'laptop', -1, 0, true, false, '', null, 'default', null),
    (2, 7, '${plainKey}2', 1, 'ci', 4070908800, 1600000, false, true, 'gpt-5-mini,alias', '10.0.0.0/8', 'vip', null),
    (3, 7, '${plainKey}3', 1, 'odd', -1, 0, true, true, 'gpt-*', 'not an address', '', null),
    (4, 8, '${plainKey}4', 2, 'off', -1, 0, true, false, '', '', '', null),
    (5, 9, '${plainKey}5', 1, 'of nobody', -1, 0, true, false, '', '', '', null),
    (6, 7, '${plainKey}6', 1, 'deleted', -1, 0, true, false, '', '', '', '2026-01-01'),
    (7, 7, 'short', 1, 'guessed', -1, 0, true, false, '', '', '', null)`,
];
