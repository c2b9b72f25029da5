import { readFileSync } from 'node:fs'
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
