import { useQuery } from '@tanstack/react-query'
import { Pause, Play, SkipBack, SkipForward, X } from 'lucide-react'
import {
  type ComponentProps,
  type RefObject,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { IconButton } from '../../../components/button.tsx'
import { Select } from '../../../components/select.tsx'
import { Tooltip } from '../../../components/tooltip.tsx'
import { languageName } from '../../../lib/i18n/format.ts'
import { currentLanguage, t } from '../../../lib/i18n/i18n.ts'
import { useShortcut } from '../../../lib/ui/shortcut.ts'
import { languageQuery } from '../queries.ts'
import { setReadingOptions, useReadingOptions } from '../reading-options.ts'
import { mark, reveal } from '../text/highlight.ts'
import { blocksOf, textRoots } from './sentences.ts'
import { Speaker, type Speech, voiceFor } from './speaker.ts'

type ReadAloudProps = {
  library: string
  document: string
  article: RefObject<HTMLElement | null>
  /** Whether pages are shown; they are switched to text. */
  isPaged: boolean
  onClose: () => void
}

const RATES = [0.75, 1, 1.25, 1.5, 1.75, 2] as const
/** Milliseconds after which a document counts as having no text. */
const PATIENCE = 15_000

/** Reads a document aloud from the visible place, marking the sentence and keeping it in view. */
export function ReadAloud({ library, document, article, isPaged, onClose }: ReadAloudProps) {
  const { data: language, isPending } = useQuery(languageQuery(library, document))
  const voices = useVoices()
  const { rate } = useReadingOptions()
  const [speech, setSpeech] = useState<Speech | 'nothing'>()
  const speaker = useRef<Speaker>(undefined)
  const currentRate = useEffectEvent(() => rate)
  const isReady = !isPending && voices.length > 0

  useEffect(() => {
    if (isPaged) setReadingOptions({ reflow: true })
  }, [isPaged])

  // Languages and voices loaded later apply the next time.
  const begin = useEffectEvent((blocks: Text[][]) => {
    const spoken = language ?? currentLanguage()
    let unmark = () => {}
    speaker.current = new Speaker(
      {
        blocks,
        language: spoken,
        voice: voiceFor(spoken, voices),
        rate: () => currentRate(),
        onSentence: (sentence) => {
          unmark()
          unmark = sentence ? mark('spoken', [sentence.range]) : () => {}
          if (sentence && !isInSight(sentence.range)) reveal(sentence.range)
        },
        onChange: setSpeech,
      },
      (range) => bottomOf(range) > BARS,
    )
    speaker.current.play()
  })
  useEffect(() => {
    const root = article.current
    if (!isReady || !root) return
    const stopWaiting = whenDrawn(root, begin, () => setSpeech('nothing'))
    return () => {
      stopWaiting()
      speaker.current?.stop()
      speaker.current = undefined
    }
  }, [article, isReady])

  const isReading = speech === 'reading'
  const toggle = () => (isReading ? speaker.current?.pause() : speaker.current?.play())
  useShortcut('a', toggle)
  useShortcut('Escape', onClose)
  const problem = problemOf(speech, voices, language)
  return (
    <section
      aria-label={t('Read aloud')}
      className="fixed inset-x-3 bottom-4 z-20 mx-auto flex w-fit max-w-[calc(100vw-1.5rem)] animate-rise items-center gap-1 rounded-xl border border-line bg-surface p-1.5 shadow-lift"
    >
      {problem ? (
        <p role="status" className="max-w-sm px-2 text-ink-soft text-sm">
          {problem}
        </p>
      ) : null}
      {isReady && speech !== 'nothing' && speech !== 'failed' ? (
        <>
          <Step icon={SkipBack} label={t('Previous sentence')} onClick={() => speaker.current?.step(-1)} />
          <Tooltip text={isReading ? t('Pause') : t('Continue')} shortcut="A">
            <IconButton
              icon={isReading ? Pause : Play}
              label={isReading ? t('Pause') : t('Continue')}
              look="primary"
              disabled={speech === undefined || speech === 'ended'}
              onClick={toggle}
            />
          </Tooltip>
          <Step icon={SkipForward} label={t('Next sentence')} onClick={() => speaker.current?.step(1)} />
          <Select
            id="reading-rate"
            aria-label={t('Speed')}
            className="ms-1 base:h-8 w-20 text-sm"
            value={String(rate)}
            onValue={(chosen) => setReadingOptions({ rate: Number(chosen) })}
            options={RATES.map((value) => ({ value: String(value), label: t('{rate} ×', { rate: value }) }))}
          />
        </>
      ) : null}
      <Step icon={X} label={t('Stop reading aloud')} onClick={onClose} />
    </section>
  )
}

const Step = ({ label, ...button }: ComponentProps<typeof IconButton>) => (
  <Tooltip text={label}>
    <IconButton label={label} className="rtl:-scale-x-100" {...button} />
  </Tooltip>
)

function problemOf(
  speech: Speech | 'nothing' | undefined,
  voices: readonly SpeechSynthesisVoice[],
  language: string | null | undefined,
): string | undefined {
  if (voices.length === 0)
    return t('This browser has no voices. Add one in your device’s settings, under speech or accessibility.')
  if (speech === 'nothing') return t('There’s no text here to read aloud.')
  if (speech === 'failed') return t('The browser couldn’t speak. Stop, then start again.')
  if (speech === 'ended') return t('End of the text.')
  if (language && !voiceFor(language, voices))
    return t('This device has no voice for {language}, so another one reads.', {
      language: languageName(language),
    })
  return undefined
}

/** Browsers may load voices only after they are requested. */
function useVoices(): readonly SpeechSynthesisVoice[] {
  return useSyncExternalStore(onVoices, knownVoices)
}
function onVoices(listen: () => void): () => void {
  speechSynthesis.addEventListener('voiceschanged', listen)
  return () => speechSynthesis.removeEventListener('voiceschanged', listen)
}
let known: readonly SpeechSynthesisVoice[] = []
function knownVoices(): readonly SpeechSynthesisVoice[] {
  const now = speechSynthesis.getVoices()
  // useSyncExternalStore needs a stable array.
  if (now.length !== known.length || now.some((voice, index) => voice.voiceURI !== known[index]?.voiceURI)) known = now
  return known
}

/** Pixels covered by the bars. */
const BARS = 110

function bottomOf(range: Range): number {
  const frame = range.startContainer.ownerDocument?.defaultView?.frameElement
  return range.getBoundingClientRect().bottom + (frame?.getBoundingClientRect().top ?? 0)
}

const isInSight = (range: Range): boolean => {
  const bottom = bottomOf(range)
  return bottom - range.getBoundingClientRect().height > BARS && bottom < innerHeight - BARS
}

/** Calls `begin` once an element has text, or `never` after a timeout. */
function whenDrawn(root: Element, begin: (blocks: Text[][]) => void, never: () => void): () => void {
  const attempt = () => {
    const blocks = blocksOf(textRoots(root))
    if (blocks.length === 0) return
    stop()
    begin(blocks)
  }
  const observer = new MutationObserver(attempt)
  const timer = setTimeout(() => {
    stop()
    never()
  }, PATIENCE)
  const stop = () => {
    observer.disconnect()
    clearTimeout(timer)
  }
  observer.observe(root, { childList: true, subtree: true })
  attempt()
  return stop
}
