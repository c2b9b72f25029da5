import type { Plugin } from 'vite'

export type UndockOptions = {
  /** The folder that contains `supabase/`, relative to Vite's root. Default: the root, or the nearest folder above it. */
  readonly workdir?: string
  /** Another backend of the project, with its own data and ports (`undock start --name`). */
  readonly name?: string
  /** Where the database's types are written, from Vite's root: at the start, and after each migration. Default: nowhere. */
  readonly types?: string
}

/** Joins the project's backend while Vite's development server runs, or starts it, and ends what it has started with the server.
 *
 *  The page has `import.meta.env.VITE_SUPABASE_URL` and `VITE_SUPABASE_PUBLISHABLE_KEY` (and whatever else `envPrefix` names); code of
 *  the server has `SUPABASE_URL`, `SUPABASE_PUBLISHABLE_KEY` and `SUPABASE_SECRET_KEY`. They win over `.env` files; a variable of the
 *  shell wins over them. A migration that is added is applied; what is wrong with one is shown over the page. `vite build` and Vitest
 *  are left alone: `undock run -- vite build` gives a build the addresses of a backend. */
export default function undock(options?: UndockOptions): Plugin
