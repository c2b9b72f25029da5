import { ListTree } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Tooltip } from '../../components/tooltip.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { useMediaQuery } from '../../lib/ui/media-query.ts'
import { useShortcut } from '../../lib/ui/shortcut.ts'
import type { Outline, OutlineItem } from './outline/outline.ts'
import { OutlineTree } from './outline/outline-tree.tsx'
import { setReadingOptions, useReadingOptions } from './reading-options.ts'
import { useHiddenChrome } from './use-hidden-chrome.ts'

/** Where the outline has room beside the text. */
const WIDE = '(min-width: 80rem)'
/** Where there is so much room that it is there from the beginning. */
const WIDEST = '(min-width: 110rem)'

type ReaderFrameProps = {
  /** Undefined for a document without headings, and while they are not known. */
  outline: Outline | undefined
  tools?: ReactNode
  children: ReactNode
}

/** A document with its tools above it, and its outline: beside it on a wide screen, in a drawer on a narrow one. */
export function ReaderFrame({ outline, tools, children }: ReaderFrameProps) {
  const [drawer, setDrawer] = useState(false)
  const isWide = useMediaQuery(WIDE)
  const isWidest = useMediaQuery(WIDEST)
  const { outline: wanted } = useReadingOptions()
  const isBeside = isWide && (wanted ?? isWidest)
  const toggle = () => (isWide ? setReadingOptions({ outline: !isBeside }) : setDrawer(!drawer))
  useHiddenChrome()
  useShortcut('o', () => outline && toggle())
  return (
    <div>
      {outline || tools ? (
        <section
          aria-label={t('Document tools')}
          data-chrome
          className="sticky top-14 z-10 -mx-1 mb-4 flex flex-wrap items-center gap-1 border-line border-b bg-paper px-1 pb-1"
        >
          {outline ? (
            <Tooltip text={t('Contents')} shortcut="O">
              <Button
                look="quiet"
                size="small-icon"
                aria-label={t('Contents')}
                aria-pressed={isWide ? isBeside : undefined}
                aria-haspopup={isWide ? undefined : 'dialog'}
                className="aria-pressed:text-accent-strong"
                onClick={toggle}
              >
                <ListTree aria-hidden />
              </Button>
            </Tooltip>
          ) : null}
          {tools ?? (
            <p dir="auto" className="min-w-0 flex-1 truncate text-ink-faint text-sm">
              {titleOf(outline)}
            </p>
          )}
        </section>
      ) : null}
      <div className="flex items-start gap-6">
        {outline && isBeside ? (
          <div className="sticky top-28 max-h-[calc(100dvh-8rem)] w-56 shrink-0 overflow-y-auto">
            <OutlineTree {...outline} />
          </div>
        ) : null}
        <div className="min-w-0 flex-1">{children}</div>
      </div>
      {outline ? (
        <Dialog open={drawer && !isWide} onOpenChange={setDrawer} title={t('Contents')} shape="drawer">
          <OutlineTree
            {...outline}
            onGo={(id) => {
              setDrawer(false)
              outline.onGo(id)
            }}
          />
        </Dialog>
      ) : null}
    </div>
  )
}

/** The title of the heading that is being read. */
function titleOf(outline: Outline | undefined): string {
  const find = (items: readonly OutlineItem[]): string | undefined => {
    for (const { id, title, items: inner } of items) {
      const found = id === outline?.current ? title : find(inner)
      if (found !== undefined) return found
    }
    return undefined
  }
  return find(outline?.items ?? []) ?? ''
}
