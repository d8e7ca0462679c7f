export function Logo() {
  return (
    <span className="inline-flex items-center gap-2 font-semibold tracking-tight">
      <svg aria-hidden="true" viewBox="0 0 32 32" className="size-6">
        <rect width="32" height="32" rx="8" className="fill-[#1d3fa6]" />
        <g fill="none" stroke="#fff" strokeWidth="3" strokeLinecap="round">
          <circle cx="12" cy="16" r="5" />
          <path d="M17 16h10M23 16v5M27 16v3.5" />
        </g>
      </svg>
      Keyward
    </span>
  );
}
