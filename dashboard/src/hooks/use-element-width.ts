import { useLayoutEffect, useState } from 'react';

/** The current width of an element in whole pixels. Set `ref` on the element. */
export function useElementWidth(): { ref(element: HTMLElement | null): void; width: number } {
  const [element, setElement] = useState<HTMLElement | null>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (!element) return;
    const measure = () => setWidth(Math.floor(element.clientWidth));
    // Before the first paint, so that nothing is rendered with a width of zero.
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return { ref: setElement, width };
}
