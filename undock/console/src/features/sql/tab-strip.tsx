import clsx from 'clsx'
import { Plus, X } from 'lucide-react'
import { IconButton } from '../../components/button.tsx'
import type { Tab } from './tabs.ts'

type TabStripProps = {
  tabs: readonly Tab[]
  current: Tab | undefined
  onShow: (tab: Tab) => void
  onClose: (tab: Tab) => void
  onOpen: () => void
}

/** The open scripts. One whose file does not have its text yet has a dot. */
export function TabStrip({ tabs, current, onShow, onClose, onOpen }: TabStripProps) {
  return (
    <nav aria-label="Open scripts" className="flex max-w-full gap-1 overflow-auto">
      {tabs.map((tab) => (
        <div
          key={tab.id}
          className={clsx('flex items-center rounded-md', tab === current ? 'bg-accent-soft' : 'hover:bg-panel')}
        >
          <button
            type="button"
            aria-current={tab === current ? 'page' : undefined}
            title={tab.snippet && `supabase/snippets/${tab.snippet.name}.sql`}
            onClick={() => onShow(tab)}
            className="flex max-w-44 items-center gap-1.5 py-1.5 pl-2.5 text-[13px]"
          >
            <span className="truncate">{tab.name}</span>
            {tab.snippet?.isChanged ? (
              <span title="Not saved" className="size-1.5 shrink-0 rounded-full bg-warn">
                <span className="sr-only">not saved</span>
              </span>
            ) : null}
          </button>
          <IconButton label={`Close ${tab.name}`} className="size-6!" onClick={() => onClose(tab)}>
            <X aria-hidden />
          </IconButton>
        </div>
      ))}
      <IconButton label="New script" onClick={onOpen}>
        <Plus aria-hidden />
      </IconButton>
    </nav>
  )
}
