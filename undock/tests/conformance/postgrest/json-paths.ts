import type { Value } from '../haskell/evaluate.ts'
import { Json, readJson } from './json.ts'
import { toText } from './text.ts'
import { maybe } from './values.ts'

/** A path into JSON: `nth 0 . key "Plan"`. */
export class JsonPath {
  readonly steps: readonly (string | number)[]
  constructor(steps: readonly (string | number)[]) {
    this.steps = steps
  }
}

/** Names from aeson and its lenses. */
export const JSON_NAMES = {
  key: (name: string) => new JsonPath([name]),
  nth: (index: number) => new JsonPath([index]),
  String: (text: string) => new Json(text),
  Number: (value: number) => new Json(value),
  Bool: (value: boolean) => new Json(value),
  '^?': (json: Value) => (path: JsonPath) => {
    const found = at((json instanceof Json ? json : readJson(toText(json)))?.value, path.steps)
    return maybe(found === undefined ? undefined : new Json(found))
  },
  encode: (json: Json) => json.text,
}

export const at = (value: unknown, steps: readonly (string | number)[]): unknown =>
  steps.reduce<unknown>((found, step) => (found as Record<string | number, unknown> | null | undefined)?.[step], value)
