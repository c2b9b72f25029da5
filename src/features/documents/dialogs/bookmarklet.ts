/** Characters of the selected text that are sent: an address must not grow without end. */
const MOST_SELECTED = 4000

/** A bookmark that sends the page on which it is clicked, with the text that is selected there, to the app.
 *  @param origin Where the app is. */
export const bookmarklet = (origin: string): string =>
  `javascript:void open('${origin}/share?'+new URLSearchParams({title:document.title,url:location.href,quote:String(getSelection()).slice(0,${MOST_SELECTED})}),'_blank')`
