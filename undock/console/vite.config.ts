import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react(), tailwindcss()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2024',
    // The polyfill would be an inline script, which the console's Content-Security-Policy forbids.
    modulePreload: { polyfill: false },
    // The policy also forbids fonts inlined as data.
    assetsInlineLimit: 0,
  },
})
