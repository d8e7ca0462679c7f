import { useLayoutEffect, useState } from 'react';

/** The width of an element in whole pixels, as it changes; `ref` goes on the element. */
export function useElementWidth(): { ref(element: HTMLElement | null): void; width: number } {
  const [element, setElement] = useState<HTMLElement | null>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (!element) return;
    const measure = () => setWidth(Math.floor(element.clientWidth));
    // Before the first paint, so that nothing is drawn for a width of zero.
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return { ref: setElement, width };
}
