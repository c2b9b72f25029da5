import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import clsx from 'clsx'
import { CircleHelp, type LucideIcon, Monitor, Moon, Search, Sun } from 'lucide-react'
import { lazy, Suspense, useEffect, useState } from 'react'
import { Button, IconButton } from './components/button.tsx'
import { Checkbox } from './components/field.tsx'
import { Empty } from './components/states.tsx'
import { tellFailure } from './components/toast.tsx'
import { clockQuery, faultsQuery, turnAllOff } from './features/time-and-faults/queries.ts'
import { simulated } from './features/time-and-faults/simulated.ts'
import { allowChanges, projectQuery } from './lib/api.ts'
import { focusSearch, isWriting, shortcut } from './lib/browser.ts'
import { useShownTitle } from './lib/state.ts'
import { setTheme, type Theme, useTheme } from './lib/theme.ts'
import { SCREENS } from './screen-list.ts'

const Palette = lazy(() => import('./palette.tsx').then((it) => ({ default: it.Palette })))

export function Shell() {
  const [isPaletteOpen, setIsPaletteOpen] = useState(false)
  const project = useQuery(projectQuery)
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key === '/' && !isWriting(event) && focusSearch()) event.preventDefault()
      if (event.key !== 'k' || !(event.metaKey || event.ctrlKey)) return
      event.preventDefault()
      setIsPaletteOpen(true)
    }
    addEventListener('keydown', open)
    return () => removeEventListener('keydown', open)
  }, [])
  const { pathname } = useLocation()
  const shown = useShownTitle()
  const screen = SCREENS.find(({ to }) => (to === '/' ? pathname === to : pathname.startsWith(to)))?.name ?? 'Not found'
  const name = project.data?.name ?? 'Console'
  useEffect(() => {
    document.title = `${shown ?? screen} · ${name}`
  }, [shown, screen, name])

  return (
    <div className="flex h-full">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-10 focus:rounded focus:bg-raised focus:px-2 focus:py-1"
      >
        Skip to the content
      </a>
      <nav aria-label="Screens" className="flex w-12 shrink-0 flex-col gap-1 border-r bg-panel p-2 lg:w-44">
        <p className="mb-1 hidden truncate px-2 py-1 font-semibold lg:block" title={project.data?.name}>
          {name}
        </p>
        <button
          type="button"
          onClick={() => setIsPaletteOpen(true)}
          className="mb-1 flex h-8 items-center gap-2 rounded-md border border-line bg-raised px-2 text-[13px] text-ink-faint hover:border-ink-faint"
        >
          <Search aria-hidden className="size-4 shrink-0" />
          <span className="hidden flex-1 text-left lg:inline">Search</span>
          <kbd className="hidden font-sans text-xs lg:inline">{shortcut('K')}</kbd>
          <span className="sr-only lg:hidden">Search</span>
        </button>
        {SCREENS.map(({ to, name, icon: Icon }) => (
          <Link
            key={to}
            to={to}
            activeOptions={{ exact: to === '/' }}
            title={name}
            className="flex h-8 items-center gap-2 rounded-md px-2 text-[13px] text-ink-soft hover:bg-raised hover:text-ink"
            activeProps={{ className: 'bg-raised font-medium text-ink shadow-xs' }}
          >
            <Icon aria-hidden className="size-4 shrink-0" />
            <span className="sr-only lg:not-sr-only">{name}</span>
          </Link>
        ))}
        <div className="mt-auto">
          <ThemeSwitch />
        </div>
      </nav>
      <main id="content" tabIndex={-1} className="flex min-w-0 flex-1 flex-col outline-none">
        {project.data && !project.data.isLocal ? <RemoteBanner /> : null}
        <SimulatedBanner />
        {shown === undefined ? <h1 className="sr-only">{screen}</h1> : null}
        <div className="min-h-0 flex-1">
          <Outlet />
        </div>
      </main>
      <Suspense fallback={null}>{isPaletteOpen ? <Palette onClose={() => setIsPaletteOpen(false)} /> : null}</Suspense>
    </div>
  )
}

function RemoteBanner() {
  return (
    <div className="flex flex-wrap items-center gap-4 border-b bg-warn-soft px-4 py-1.5 text-[13px] text-warn">
      <p className="font-medium">This database is not local: supabase/undock.toml or --db-url names another server.</p>
      <Checkbox label="Allow changes" onChecked={allowChanges} />
    </div>
  )
}

const THEMES: readonly { readonly value: Theme; readonly name: string; readonly icon: LucideIcon }[] = [
  { value: 'light', name: 'Light', icon: Sun },
  { value: 'dark', name: 'Dark', icon: Moon },
  { value: 'system', name: 'As the system', icon: Monitor },
]

function ThemeSwitch() {
  const theme = useTheme()
  return (
    <fieldset aria-label="Appearance" className="flex flex-col lg:flex-row">
      {THEMES.map(({ value, name, icon: Icon }) => (
        <IconButton
          icon={Icon}
          key={value}
          label={name}
          aria-pressed={theme === value}
          className={clsx(theme === value && 'bg-raised text-ink')}
          onClick={() => setTheme(value)}
        />
      ))}
    </fieldset>
  )
}

export function NotFound() {
  const navigate = useNavigate()
  return (
    <Empty icon={CircleHelp} title="Page not found">
      <button type="button" className="text-accent underline" onClick={() => void navigate({ to: '/' })}>
        Go to the overview
      </button>
    </Empty>
  )
}

/** Shows active simulations on every screen, so that they aren't mistaken for real faults. */
function SimulatedBanner() {
  const { data: clock } = useQuery(clockQuery)
  const { data: faults } = useQuery(faultsQuery)
  const off = useMutation({ mutationFn: () => turnAllOff(), onError: tellFailure })
  const texts = simulated(clock, faults)
  if (texts.length === 0) return null
  return (
    <section
      aria-label="Simulated"
      className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b bg-warn-soft px-4 py-1.5 text-[13px] text-warn"
    >
      <Link to="/time-and-faults" className="min-w-0 font-medium underline">
        {texts.join(' ')}
      </Link>
      <Button className="ml-auto" disabled={off.isPending} onClick={() => off.mutate()}>
        Turn all off
      </Button>
    </section>
  )
}
