import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { compileMessage } from '@lingui/message-utils/compileMessage'
import type { Plugin } from 'vite'

const IMPORTED = /import \{([^}]*)\} from 'lucide-react'/g
const EXPORTED = /export \{([^}]*)\} from '\.\/(icons\/[\w-]+)\.mjs'/g

/** Imports icons from their own files: the index names them all, which would defeat code splitting. */
export function iconFiles(): Plugin {
  const files = new Map<string, string>()
  return {
    name: 'icon-files',
    apply: 'build',
    enforce: 'pre',
    buildStart() {
      const index = readFileSync(new URL('../esm/lucide-react.mjs', import.meta.resolve('lucide-react')), 'utf8')
      for (const [, names = '', file = ''] of index.matchAll(EXPORTED))
        for (const [, name = ''] of names.matchAll(/default as (\w+)/g)) files.set(name, file)
    },
    transform(code, id) {
      if (id.includes('node_modules') || !code.includes("from 'lucide-react'")) return null
      const importOf = (said: string) => {
        const [name = '', alias = name] = said.split(' as ')
        const file = files.get(name)
        if (file) return `import ${alias} from 'lucide-react/${file}';`
        if (said.startsWith('type ')) return '' // types are checked before
        throw new Error(`lucide-react has no icon ${name}.`)
      }
      const changed = code.replaceAll(IMPORTED, (written, names: string) => {
        const imports = names.split(',').flatMap((name) => (name.trim() === '' ? [] : importOf(name.trim())))
        // Keep the number of lines, for the source map.
        return imports.join('') + '\n'.repeat(written.split('\n').length - 1)
      })
      return { code: changed, map: null }
    },
  }
}

const LOCALES = new URL('../../src/locales/', import.meta.url)
const NAME = /^virtual:messages\/(\w+)$/
/** Messages with plural or select forms: "{count, plural, …}". The app fills in plain parameters ("{name}") itself. */
const HAS_FORMS = /\{\s*\w+\s*,/

/** Provides catalogs as `virtual:messages/de`, with plural and select forms compiled, so that the app needs no ICU
 *  parser. `virtual:messages/en` has only these forms; other English texts are in the code. */
export function messages(): Plugin {
  return {
    name: 'messages',
    resolveId: (id) => (NAME.test(id) ? `\0${id}` : null),
    load(id) {
      const [, language] = NAME.exec(id.slice(1)) ?? []
      if (!id.startsWith('\0') || !language) return null
      const catalogue = language === 'en' ? english.call(this) : catalogueOf.call(this, language)
      const compiled = Object.entries(catalogue).map(([english, text]) => [
        english,
        HAS_FORMS.test(text) ? compileMessage(text) : text,
      ])
      return `export const messages = ${JSON.stringify(Object.fromEntries(compiled))}`
    },
  }
}

type Loading = { addWatchFile(path: string): void }

function catalogueOf(this: Loading, language: string): Record<string, string> {
  const file = new URL(`${language}.json`, LOCALES)
  this.addWatchFile(fileURLToPath(file))
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** All catalogs have all texts (`npm run messages`), so any of them lists them. */
function english(this: Loading): Record<string, string> {
  const texts = Object.keys(catalogueOf.call(this, 'de')).filter((text) => HAS_FORMS.test(text))
  return Object.fromEntries(texts.map((text) => [text, text]))
}
