import { useQueries } from '@tanstack/react-query'
import { Type } from 'lucide-react'
import { type MouseEvent, type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { IconButton } from '../../../components/button.tsx'
import { Tooltip } from '../../../components/tooltip.tsx'
import type { PictureQuery } from '../../../domain/note-pictures.ts'
import { type DocumentReference, referenceIn } from '../../../domain/note-references.ts'
import { t } from '../../../lib/i18n/i18n.ts'
import { classNames } from '../../../lib/ui/class-names.ts'
import type { ViewProps } from '../anchors.ts'
import { useTextOutline } from '../outline/use-text-outline.ts'
import { ReaderFrame } from '../reader-frame.tsx'
import { setReadingOptions, useReadingOptions } from '../reading-options.ts'
import { safeMarkdown } from './safe-html.ts'
import { useHighlights } from './use-highlights.ts'
import { useInsideLinks } from './use-inside-links.ts'
import { useTextSelection } from './use-text-selection.ts'

type ProseViewProps = ViewProps & {
  text: string
  form: 'markdown' | 'plain' | 'code'
  pictures?: PictureQuery
}

export function ProseView({ text, form, pictures, anchor, remarks, onSelect, onTick, drawLink }: ProseViewProps) {
  const root = useRef<HTMLDivElement>(null)
  const html = useMemo(() => (form === 'markdown' ? safeMarkdown(text) : undefined), [text, form])
  useHighlights(root, { anchor, remarks, drawn: html ?? text })
  useTextSelection(root, onSelect)
  const outline = useTextOutline(root, html ?? null)
  const { dimmed, proportional } = useReadingOptions()

  const follow = useInsideLinks()
  usePictures(root, pictures, html)
  const cards = useCards(root, html, drawLink !== undefined)
  const canTick = onTick !== undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: new HTML has new boxes
  useEffect(() => {
    for (const box of boxesIn(root.current)) box.disabled = !canTick
  }, [canTick, html])
  const act = (event: MouseEvent) => {
    const { target } = event
    if (!(target instanceof Element)) return
    const boxes = boxesIn(root.current)
    const index = boxes.findIndex((box) => box.contains(target))
    if (index !== -1) onTick?.(index, boxes.length)
    follow(event, target.closest('a'))
  }

  return (
    <ReaderFrame outline={outline} button={form === 'plain' ? <WidthSwitch /> : null}>
      {html === undefined ? (
        <div
          ref={root}
          data-readable
          className={classNames(
            'bidi-lines mx-auto max-w-[44rem] whitespace-pre-wrap',
            form === 'plain' && proportional
              ? 'font-serif text-[1.0625rem] leading-[1.7]'
              : 'font-mono text-sm leading-relaxed [overflow-wrap:anywhere]',
          )}
        >
          {text}
        </div>
      ) : (
        // biome-ignore lint/a11y/noStaticElementInteractions: the links and check boxes in it are what is clicked
        // biome-ignore lint/a11y/useKeyWithClickEvents: a key on one of them makes a click
        <div
          ref={root}
          data-readable
          className={classNames('prose mx-auto max-w-[44rem]', dimmed && 'dark:[&_img]:brightness-75')}
          onClick={act}
          // biome-ignore lint/security/noDangerouslySetInnerHtml: safeMarkdown has taken out all that can act
          dangerouslySetInnerHTML={{ __html: html }}
        />
      )}
      {drawLink
        ? cards.map(({ link, place, label }, index) => createPortal(drawLink(place, label), link, String(index)))
        : null}
    </ReaderFrame>
  )
}

/** Logs and tables need a monospaced font; prose reads better in a proportional one. */
function WidthSwitch() {
  const { proportional } = useReadingOptions()
  return (
    <Tooltip text={t('Monospaced')}>
      <IconButton
        icon={Type}
        label={t('Monospaced')}
        aria-pressed={!proportional}
        className="aria-pressed:text-accent-strong"
        onClick={() => setReadingOptions({ proportional: !proportional })}
      />
    </Tooltip>
  )
}

const boxesIn = (root: HTMLElement | null): HTMLInputElement[] => [...(root?.querySelectorAll('input') ?? [])]

type Card = { link: HTMLAnchorElement; place: DocumentReference; label: string }

/** Finds links to draw as cards and clears their labels, because the card shows the title.
 *  @param html The element's content. */
function useCards(root: RefObject<HTMLElement | null>, html: string | undefined, isEnabled: boolean): readonly Card[] {
  const [cards, setCards] = useState<readonly Card[]>([])
  // biome-ignore lint/correctness/useExhaustiveDependencies: new HTML has new links
  useLayoutEffect(() => {
    if (!isEnabled) return
    const links = [...(root.current?.querySelectorAll<HTMLAnchorElement>('a[data-card]') ?? [])]
    setCards(
      links.flatMap((link) => {
        const place = referenceIn(link.getAttribute('href') ?? '')
        if (!place) return []
        if (!link.dataset.card) {
          link.dataset.card = link.textContent || link.href
          link.textContent = ''
        }
        return [{ link, place, label: link.dataset.card }]
      }),
    )
  }, [root, html, isEnabled])
  return cards
}

/** Sets the addresses of a note's pictures. A missing one is replaced by its description.
 *  @param html The element's content. */
function usePictures(
  root: RefObject<HTMLElement | null>,
  pictures: PictureQuery | undefined,
  html: string | undefined,
): void {
  const hasPictures = pictures !== undefined
  const names = useMemo(
    () =>
      hasPictures && html
        ? [...new Set([...html.matchAll(/data-picture="([^"]+)"/g)].map(([, name = '']) => name))]
        : [],
    [hasPictures, html],
  )
  const found = useQueries({
    queries: pictures ? names.map(pictures) : [],
    combine: (results) => results.map(({ data, isError }) => (isError ? null : data?.url)),
  })
  useEffect(() => {
    for (const picture of root.current?.querySelectorAll('img') ?? []) {
      const address = found[names.indexOf(picture.dataset.picture ?? '')]
      if (address === undefined) continue
      picture.onerror = () => showDescription(picture)
      if (address === null) showDescription(picture)
      else picture.src = address
    }
  }, [root, names, found])
}

function showDescription(picture: HTMLImageElement): void {
  picture.removeAttribute('src')
  if (picture.alt === '') picture.alt = t('Missing picture')
}
