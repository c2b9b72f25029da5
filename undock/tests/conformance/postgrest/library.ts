import { Constructed, type Library, UntranslatableError } from '../haskell/evaluate.ts'
import { Group } from './cases.ts'
import { EXAMPLES, EXPECTATIONS, REQUESTS } from './examples.ts'
import { readQuotedJson } from './json.ts'
import { JSON_NAMES } from './json-paths.ts'
import { withMatcherFields } from './matchers.ts'
import { specHelpers } from './spec-helpers.ts'
import { STANDARD } from './standard.ts'
import { equal } from './values.ts'

/** The names that the specs import (hspec, hspec-wai, aeson, lens, the standard library) and those of their helpers that reach
 *  outside the spec's text.
 *  @param folder The specs' folder.
 *  @param pgVersion The server's major version. */
export function createLibrary(folder: string, pgVersion: number): Library {
  return {
    names: {
      ...EXAMPLES,
      ...REQUESTS,
      ...EXPECTATIONS,
      ...STANDARD,
      ...JSON_NAMES,
      ...specHelpers(folder),
      actualPgVersion: pgVersion,
      ...Object.fromEntries(PG_VERSIONS.map((version) => [`pgVersion${version}0`, version])),
    },
    quote(quoter, text, interpolate) {
      if (quoter === 'json' || quoter === 'aesonQQ') return readQuotedJson(text, interpolate)
      if (quoter === 'str') return heredoc(text)
      throw new UntranslatableError(`the quotation [${quoter}|`)
    },
    withFields(base, fields) {
      if (Object.keys(fields).some((name) => name.startsWith('match'))) return withMatcherFields(base, fields)
      if (base instanceof Constructed) return new Constructed(base.name, base.items, { ...base.fields, ...fields })
      throw new UntranslatableError('a record')
    },
    equal,
    failed(error, context) {
      if (context instanceof Group && error instanceof UntranslatableError)
        context.results.untranslated.push({ place: context.place, reason: error.message })
      else throw error
    },
  }
}

const PG_VERSIONS = [13, 14, 15, 16, 17, 18, 19]

/** Lines after the first start with a bar; the last bar belongs to the closing bracket. */
const heredoc = (text: string): string =>
  text
    .split('\n')
    .map((line, index) => (index === 0 ? line : line.replace(/^\s*(?:\||$)/, '')))
    .join('\n')
