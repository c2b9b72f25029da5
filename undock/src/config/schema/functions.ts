import { choice, count, dictionary, flag, list, named, port, table, text } from './fields.ts'

/** Paths are absolute once loaded. */
export const FunctionsSection = named({
  enabled: flag(true),
  verify_jwt: flag(true),
  /** Left empty: the function's own deno.json or deno.jsonc, if it has one. */
  import_map: text(),
  entrypoint: text(),
  static_files: list(),
  /** Variables of this function alone. */
  env: dictionary(),
})

export const EdgeRuntimeSection = table({
  enabled: flag(true),
  policy: choice(['per_worker', 'oneshot'], 'per_worker'),
  inspector_port: port(8083),
  deno_version: count(2),
  /** Names are upper case once loaded, as the CLI makes them. */
  secrets: dictionary(),
})
