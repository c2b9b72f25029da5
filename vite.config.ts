import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import { tanstackRouter } from '@tanstack/router-plugin/vite'
import react from '@vitejs/plugin-react'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'

const LOCAL = { host: '127.0.0.1', port: 5173, strictPort: true }

const PDFJS = fileURLToPath(new URL('.', import.meta.resolve('pdfjs-dist/package.json')))
const PDFJS_FOLDERS = ['cmaps', 'standard_fonts', 'wasm', 'iccs']

/** Serves the fonts, character maps and decoders that pdf.js fetches by name when a PDF needs them, under /pdfjs/. */
function pdfjsAssets(): Plugin {
  const address = new RegExp(`^/pdfjs/(${PDFJS_FOLDERS.join('|')})/([\\w.+-]+)$`)
  return {
    name: 'pdfjs-assets',
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const [, folder = '', name = ''] = address.exec(request.url ?? '') ?? []
        const path = join(PDFJS, folder, name)
        if (!folder || !existsSync(path)) return next()
        if (name.endsWith('.wasm')) response.setHeader('content-type', 'application/wasm')
        createReadStream(path).pipe(response)
      })
    },
    generateBundle() {
      for (const folder of PDFJS_FOLDERS) {
        for (const name of readdirSync(join(PDFJS, folder))) {
          const source = readFileSync(join(PDFJS, folder, name))
          this.emitFile({ type: 'asset', fileName: `pdfjs/${folder}/${name}`, source })
        }
      }
    },
  }
}

/** The service worker, with the names of all that the app needs to open without network. */
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

const REQUIRED = ['VITE_SUPABASE_URL', 'VITE_SUPABASE_PUBLISHABLE_KEY']

/** An app built without knowing its backend would be a blank page: better no build at all. */
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

/** Libraries that nothing is drawn without. */
const VENDOR =
  /node_modules[\\/](react|react-dom|scheduler|zod|clsx|@lingui|@messageformat|@supabase|@tanstack[\\/](?!react-virtual|virtual-core)[\w-]+)[\\/]/
export default defineConfig({
  plugins: [
    requireBackend(),
    // The router's plugin must come before React's: it splits each route file into its own chunk first.
    tanstackRouter({
      target: 'react',
      routesDirectory: 'src/routes',
      generatedRouteTree: 'src/route-tree.gen.ts',
      addExtensions: true,
      autoCodeSplitting: true,
    }),
    react(),
    tailwindcss(),
    pdfjsAssets(),
    serviceWorker(),
  ],
  server: LOCAL,
  preview: LOCAL,
  build: {
    target: 'es2023',
    sourcemap: true,
    rolldownOptions: {
      output: {
        // What every screen needs of others' code comes in one file: on a slow line each file costs a round trip.
        codeSplitting: {
          groups: [{ name: 'vendor', test: VENDOR }],
        },
      },
    },
  },
  test: { setupFiles: ['src/testing/setup.ts'] },
})
