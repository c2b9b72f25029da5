import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import { tanstackRouter } from '@tanstack/router-plugin/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { compressed, contentSecurityPolicy, firstLoad, shelfPreload } from './scripts/vite/output.ts'
import { extension, packageFiles } from './scripts/vite/served-files.ts'
import { iconFiles, messages } from './scripts/vite/sources.ts'

const LOCAL = { host: '127.0.0.1', port: 5173, strictPort: true }

const packageFolder = (name: string): string => fileURLToPath(new URL('.', import.meta.resolve(`${name}/package.json`)))

const PDFJS = packageFolder('pdfjs-dist')
/** Fonts, character maps and decoders that pdf.js fetches on demand. */
const PDFJS_FILES = ['cmaps', 'standard_fonts', 'wasm', 'iccs'].flatMap((folder) =>
  readdirSync(join(PDFJS, folder)).map((name) => [`pdfjs/${folder}/${name}`, join(PDFJS, folder, name)] as const),
)

/** Files that Tesseract fetches on demand: its worker, its core for three processor generations, and language data. */
const TESSERACT_FILES = [
  ['tesseract.js', 'dist/worker.min.js'],
  ['tesseract.js-core', 'tesseract-core-lstm.wasm.js'],
  ['tesseract.js-core', 'tesseract-core-simd-lstm.wasm.js'],
  ['tesseract.js-core', 'tesseract-core-relaxedsimd-lstm.wasm.js'],
  ['@tesseract.js-data/eng', '4.0.0_best_int/eng.traineddata.gz'],
  ['@tesseract.js-data/deu', '4.0.0_best_int/deu.traineddata.gz'],
].map(([name = '', file = '']) => [`tesseract/${basename(file)}`, join(packageFolder(name), file)] as const)

/** The service worker, with the names of all files needed offline. */
function serviceWorker(): Plugin {
  return {
    name: 'service-worker',
    apply: 'build',
    generateBundle(_, bundle) {
      const files = Object.keys(bundle)
        .filter((name) => /^assets\/.*\.(?:m?js|css)$/.test(name))
        .sort()
      const version = createHash('sha256').update(files.join('\n')).digest('hex').slice(0, 12)
      const code = readFileSync(new URL('src/service-worker/sw.js', import.meta.url), 'utf8')
      const values = `const FILES = ${JSON.stringify(files.map((name) => `/${name}`))}\nconst VERSION = '${version}'\n`
      this.emitFile({ type: 'asset', fileName: 'sw.js', source: values + code })
    },
  }
}

const backendModule = (name: string) => fileURLToPath(new URL(`src/lib/backend/${name}`, import.meta.url))

/** Stand-ins for parts of Supabase's client, a third of its size: Realtime and Storage are loaded with the first
 *  library, passkeys and signing out on use; the last two are unused. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  '@supabase/realtime-js': backendModule('deferred-realtime.ts'),
  '@supabase/storage-js': backendModule('deferred-storage.ts'),
  './GoTrueAdminApi': backendModule('deferred-auth-admin.ts'),
  './lib/webauthn': backendModule('deferred-passkeys.ts'),
  'iceberg-js': backendModule('unused-parts.ts'),
  './lib/web3/ethereum': backendModule('unused-parts.ts'),
}

/** Builds Supabase's client without the parts that the first page doesn't need. */
function smallClient(): Plugin {
  return {
    name: 'small-client',
    apply: 'build',
    enforce: 'pre',
    resolveId: (id, importer) =>
      /@supabase[\\/](auth|supabase|storage)-js/.test(importer ?? '') ? (REPLACEMENTS[id] ?? null) : null,
  }
}

const REQUIRED = ['VITE_SUPABASE_URL', 'VITE_SUPABASE_PUBLISHABLE_KEY']

/** Without the backend's address the app would show a blank page, so the build fails. */
function requireBackend(): Plugin {
  return {
    name: 'require-backend',
    apply: 'build',
    configResolved({ env }) {
      const missing = REQUIRED.filter((name) => !env[name])
      if (missing.length === 0) return
      throw new Error(`Set ${missing.join(' and ')}, in the environment or in .env.local: the project to build for.`)
    },
  }
}

/** Libraries of every page, by name: used modules are known only after code splitting. Loaded as two parallel files. */
const REACT = /node_modules[\\/](react|react-dom|scheduler)[\\/]/
const VENDOR =
  /node_modules[\\/](zod|clsx|@lingui|@supabase[\\/](?!realtime-js|storage-js|phoenix|auth-js[\\/].*(?:Admin|webauthn))[\w-]+|@tanstack[\\/](?!virtual-core)[\w-]+)[\\/]/
/** The base of the note editor. */
const PROSEMIRROR = /node_modules[\\/]prosemirror-[\w-]+[\\/]/
/** The text comparison, and the languages that it highlights. */
const COMPARISON = /node_modules[\\/]@codemirror[\\/](?!lang-|autocomplete)[\w-]+[\\/]/
const COMPARISON_LANGUAGES =
  /node_modules[\\/](@lezer[\\/](?!common|highlight|lr)[\w-]+|@codemirror[\\/](lang-[\w-]+|autocomplete))[\\/]/
/** Reading and writing references, and the style processor, which only writing needs. */
const CITATION = /node_modules[\\/](@citation-js[\\/](?!plugin-csl)|moo[\\/])/
const CITEPROC = /node_modules[\\/]citeproc[\\/]/
const SOURCE = fileURLToPath(new URL('src/', import.meta.url))
/** Split off by the router's plugin: each of these modules imports its page's component. */
const SHELF = ['_signed-in', '_signed-in/l.$library', '_signed-in/l.$library.index'].map(routeFile)
/** Lazy imports that a shelf and the sign-in page always load. */
const LATE_ON_SHELF = [`${SOURCE}lib/offline/query-persistence.ts`]
const LATE_TO_SIGN_IN = ['other-sign-in-methods', 'sign-in-with-company'].map(
  (name) => `${SOURCE}features/account/${name}.tsx`,
)
const SIGN_IN = ['_visitor', '_visitor/sign-in'].map(routeFile)

function routeFile(name: string): string {
  return `${SOURCE}routes/${name}.tsx`
}

type ModuleInfo = { readonly importedIds: readonly string[]; readonly dynamicallyImportedIds: readonly string[] }
type Modules = { getModuleInfo(id: string): ModuleInfo | null }

/** Adds all modules that are always loaded with these. */
function withDependencies(starts: readonly string[], modules: Modules): ReadonlySet<string> {
  const needed = new Set(starts)
  // Iterating over a set visits elements added meanwhile.
  for (const from of needed) for (const to of modules.getModuleInfo(from)?.importedIds ?? []) needed.add(to)
  return needed
}

const pagesOf = (routes: readonly string[], modules: Modules): string[] =>
  routes.flatMap((route) => modules.getModuleInfo(route)?.dynamicallyImportedIds ?? [])

/** Overlays, loaded when a person is about to open the first one. */
const OVERLAYS = ['menu-content', 'dialog-content', 'tooltip-hint'].map((name) => `${SOURCE}components/${name}.tsx`)
const ICON = /node_modules[\\/]lucide-react[\\/].*[\\/]icons[\\/]/

/** Returns a module's chunk, so that each page loads few files: `app` for every page, `shelf` for every signed-in page,
 *  `shared` for those and visitors' pages, `sign-in`, and `overlays` and `icons` for lazy ones. */
function fileOf(): (
  id: string,
  modules: Modules,
) => 'app' | 'icons' | 'overlays' | 'shared' | 'shelf' | 'sign-in' | null {
  let known: Record<'app' | 'shelf' | 'signIn' | 'visited' | 'overlays', ReadonlySet<string>> | undefined
  const lookUp = (modules: Modules) => {
    const app = withDependencies([`${SOURCE}main.tsx`], modules)
    const routes = [...app].filter((from) => from.startsWith(`${SOURCE}routes/`))
    const forVisitors = routes.filter((route) => !route.startsWith(`${SOURCE}routes/_signed-in`))
    return {
      app,
      shelf: withDependencies([...pagesOf(SHELF, modules), ...LATE_ON_SHELF], modules),
      signIn: withDependencies([...pagesOf(SIGN_IN, modules), ...LATE_TO_SIGN_IN], modules),
      visited: withDependencies([...pagesOf(forVisitors, modules), ...LATE_TO_SIGN_IN], modules),
      overlays: withDependencies(OVERLAYS, modules),
    }
  }
  return (id, modules) => {
    known ??= lookUp(modules)
    if (known.app.has(id)) return 'app'
    if (known.shelf.has(id)) return known.visited.has(id) ? 'shared' : 'shelf'
    if (known.signIn.has(id)) return 'sign-in'
    if (known.overlays.has(id)) return 'overlays'
    if (ICON.test(id) && !known.visited.has(id)) return 'icons'
    return null
  }
}
const file = fileOf()

export default defineConfig({
  plugins: [
    requireBackend(),
    messages(),
    iconFiles(),
    smallClient(),
    // Before React's plugin, because it splits route files first.
    tanstackRouter({
      target: 'react',
      routesDirectory: 'src/routes',
      generatedRouteTree: 'src/route-tree.gen.ts',
      addExtensions: true,
      autoCodeSplitting: true,
      codeSplittingOptions: {
        defaultBehavior: [['loader', 'component', 'errorComponent', 'notFoundComponent']],
        // A document's data need not wait for the reader, the largest page.
        splitBehavior: ({ routeId }) =>
          routeId === '/_signed-in/l/$library/d/$document'
            ? [['loader'], ['component', 'errorComponent', 'notFoundComponent']]
            : undefined,
      },
    }),
    react(),
    tailwindcss(),
    packageFiles(new Map([...PDFJS_FILES, ...TESSERACT_FILES])),
    extension(),
    serviceWorker(),
    compressed(),
    firstLoad(),
    shelfPreload(),
    // After the plugins that add scripts to the page.
    contentSecurityPolicy(),
  ],
  server: LOCAL,
  preview: LOCAL,
  build: {
    target: 'es2023',
    sourcemap: true,
    // The Word export is loaded on demand. Each page's load has its own limit (firstLoad).
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      output: {
        // Every page needs three files (React, other libraries, our code), and the shelf a fourth: on a slow network
        // each file costs a round trip, and many small files compress badly.
        codeSplitting: {
          groups: [
            { name: 'react', test: REACT },
            { name: 'vendor', test: VENDOR },
            { name: 'prosemirror', test: PROSEMIRROR },
            { name: 'comparison', test: COMPARISON },
            { name: 'comparison-languages', test: COMPARISON_LANGUAGES },
            { name: 'citation', test: CITATION },
            { name: 'citeproc', test: CITEPROC },
            { debugName: 'app', name: (id, modules) => (file(id, modules) === 'app' ? 'app' : null) },
            {
              debugName: 'shared, shelf, sign-in, overlays and icons',
              name: file,
              // Otherwise modules that visitors' pages need as well would be included.
              includeDependenciesRecursively: false,
            },
          ],
        },
      },
    },
  },
})
