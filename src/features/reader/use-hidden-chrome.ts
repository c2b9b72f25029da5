import { useEffect } from 'react'

/** Where the bars take too much of the screen; the styles have the same limit. */
const NARROW = '(max-width: 40rem)'
/** Pixels that are scrolled in one direction before it counts. */
const ENOUGH = 12

/** Hides the bars of the app and of the reader on a phone while somebody scrolls down, and shows them when they scroll up, tap
 *  the text, or move the focus into a bar. */
export function useHiddenChrome(): void {
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
