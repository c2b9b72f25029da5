import { count, flag, list, optionalFlag, port, table, text } from './fields.ts'

export const ApiSection = table({
  enabled: flag(true),
  port: port(54321),
  schemas: list(['public', 'graphql_public']),
  extra_search_path: list(['public', 'extensions']),
  max_rows: count(1000),
  auto_expose_new_tables: optionalFlag(),
  /** Left empty, it becomes scheme, host and port of the gateway. */
  external_url: text(),
  tls: table({ enabled: flag(false), cert_path: text(), key_path: text() }),
})
