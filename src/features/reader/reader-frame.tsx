import { ListTree } from 'lucide-react'
import { createContext, type ReactNode, use, useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { IconButton } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Tooltip } from '../../components/tooltip.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { classNames } from '../../lib/ui/class-names.ts'
import { useDocumentFocus, useShortcut } from '../../lib/ui/shortcut.ts'
import { useMediaQuery } from '../../lib/ui/window.ts'
import type { Outline, OutlineItem } from './outline/outline.ts'
import { OutlineTree } from './outline/outline-tree.tsx'
import { setReadingOptions, useReadingOptions } from './reading-options.ts'

/** Screens wide enough for the outline next to the text. */
const WIDE = '(min-width: 80rem)'
/** Where it's open by default. */
const WIDEST = '(min-width: 110rem)'

/** The screen's slot for a view's single tool; null until rendered. Undefined without one: the view has its own bar. */
export const ReaderTools = createContext<HTMLElement | null | undefined>(undefined)

type ReaderFrameProps = {
  /** Undefined without headings, or while loading. */
  outline: Outline | undefined
  tools?: ReactNode
  button?: ReactNode
  children: ReactNode
}

/** A document with its tools and its outline: next to it on wide screens, in a drawer on narrow ones. */
export function ReaderFrame({ outline, tools, button, children }: ReaderFrameProps) {
  const [drawer, setDrawer] = useState(false)
  const isWide = useMediaQuery(WIDE)
  const isWidest = useMediaQuery(WIDEST)
  const { outline: wanted } = useReadingOptions()
  const isBeside = isWide && (wanted ?? isWidest)
  const place = use(ReaderTools)
  const toggle = () => (isWide ? setReadingOptions({ outline: !isBeside }) : setDrawer(!drawer))
  useHiddenChrome()
  // Shared documents have no other frame.
  const frame = useDocumentFocus(place === undefined ? 'shared' : undefined)
  useShortcut('o', () => outline && toggle())
  const contentsButton = outline ? (
    <Tooltip text={t('Contents')} shortcut="O">
      <IconButton
        icon={ListTree}
        label={t('Contents')}
        aria-pressed={isWide ? isBeside : undefined}
        aria-haspopup={isWide ? undefined : 'dialog'}
        className="aria-pressed:text-accent-strong"
        onClick={toggle}
      />
    </Tooltip>
  ) : null
  const contents =
    contentsButton || button ? (
      <>
        {contentsButton}
        {button}
      </>
    ) : null
  const isInBar = place !== undefined && tools === undefined
  return (
    <div ref={frame} data-letters tabIndex={-1} className="outline-none">
      {isInBar ? (
        place && createPortal(contents, place)
      ) : contents || tools ? (
        <section
          aria-label={t('Document tools')}
          data-chrome
          className={classNames(
            place === undefined ? 'below-14' : 'below-26',
            'sticky z-10 -mx-1 mb-4 flex flex-wrap items-center gap-1 border-line border-b bg-paper px-1 pb-1',
          )}
        >
          {contents}
          {tools ?? (
            <p dir="auto" className="min-w-0 flex-1 truncate text-ink-faint text-sm">
              {titleOf(outline)}
            </p>
          )}
        </section>
      ) : null}
      <div className="flex items-start gap-6">
        {outline && isBeside ? (
          <div
            className={classNames(
              tools === undefined ? 'below-28' : 'below-38',
              'sticky max-h-[calc(100dvh-10rem)] w-56 shrink-0 overflow-y-auto',
            )}
          >
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

/** Where the bars take too much space; the styles have the same breakpoint. */
const NARROW = '(max-width: 40rem)'
/** Pixels scrolled in one direction before it counts. */
const ENOUGH = 12

/** Hides the bars on phones while scrolling down. Scrolling up, tapping the text or focusing a bar shows them. */
function useHiddenChrome(): void {
  useEffect(() => {
    const narrow = matchMedia(NARROW)
    const { dataset } = document.documentElement
    let turned = scrollY
    const show = () => {
      delete dataset.reading
      turned = scrollY
    }
    const onScroll = () => {
      const moved = scrollY - turned
      const goesOn = dataset.reading ? moved > 0 : moved < 0
      if (goesOn) turned = scrollY
      else if (moved > ENOUGH && narrow.matches) {
        dataset.reading = 'undisturbed'
        turned = scrollY
      } else if (moved < -ENOUGH) show()
    }
    const onFocus = ({ target }: FocusEvent) => {
      if (target instanceof Element && target.closest('[data-chrome]')) show()
    }
    addEventListener('scroll', onScroll, { passive: true })
    document.addEventListener('click', show)
    document.addEventListener('focusin', onFocus)
    return () => {
      removeEventListener('scroll', onScroll)
      document.removeEventListener('click', show)
      document.removeEventListener('focusin', onFocus)
      show()
    }
  }, [])
}
