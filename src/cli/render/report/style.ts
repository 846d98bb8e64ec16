/** Without a script and without anything from elsewhere: light and dark by what the reader has set, also on paper. */
export const STYLE = `
:root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--dim:#59636e;--line:#d5dae0;--soft:#f4f6f8;--good:#176f2c;--bad:#b3261e;--open:#7a5200;
--add:#e2f6e5;--del:#fde7e5;--hunk:#e5effb;--mark:#fff1c2;--curve:#2160c4}
@media (prefers-color-scheme:dark){:root{--bg:#14171a;--fg:#e4e8ec;--dim:#98a2ad;--line:#343b43;--soft:#1d2126;--good:#63cc7a;--bad:#ff8a80;
--open:#e8b84a;--add:#16331d;--del:#43201d;--hunk:#1a2b41;--mark:#4a3d10;--curve:#7cadff}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1.25rem 1rem 3rem;max-width:60rem;background:var(--bg);color:var(--fg);font:16px/1.5 system-ui,sans-serif;
overflow-wrap:anywhere}
h1{font-size:1.5rem;line-height:1.25;margin:.25rem 0}h2{font-size:1.15rem;margin:2rem 0 .5rem;border-bottom:1px solid var(--line)}
h3{font-size:1rem;margin:1rem 0 .25rem}p{margin:.4rem 0}
.verdict{display:inline-block;margin:0;padding:.1rem .6rem;border:2px solid;border-radius:1rem;font-weight:700}
.good{color:var(--good)}.bad{color:var(--bad)}.open{color:var(--open)}
.id,small,time,figcaption,.cut,footer{color:var(--dim)}.id,code,pre{font-family:ui-monospace,monospace;font-size:.85em}
.cut{font-style:italic}.error{color:var(--bad)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:0}dt{color:var(--dim)}dd{margin:0}
ul{padding-left:1.2rem;margin:.3rem 0}mark{background:var(--mark);color:inherit;padding:0 .3em;border-radius:.2em}
pre{margin:.3rem 0;padding:.6rem;background:var(--soft);border:1px solid var(--line);overflow-x:auto;overflow-wrap:normal;white-space:pre}
pre.said{white-space:pre-wrap;overflow-wrap:anywhere}
.timeline{list-style:none;margin:0;padding:0}.timeline li{padding:.1rem 0 .1rem .7rem;border-left:3px solid var(--line)}
.timeline .state{border-color:var(--curve)}.timeline .bad{border-color:var(--bad)}.timeline time{display:inline-block;min-width:4.5rem}
.timeline li.bad{color:inherit}
figure{margin:0}svg{width:100%;height:auto;display:block}.curve{fill:none;stroke:var(--curve);stroke-width:2}
.area{fill:var(--curve);opacity:.12}.axis{stroke:var(--line)}figcaption{display:flex;justify-content:space-between;gap:1rem;font-size:.85em}
details{border:1px solid var(--line);margin:.4rem 0}summary{padding:.4rem .6rem;cursor:pointer}details .cut{padding:0 .6rem}
details pre{border-width:1px 0 0;margin:0}
i{font-style:normal}i.a{color:var(--good)}i.d{color:var(--bad)}
.diff span{display:inline-block;min-width:100%}.diff .a{background:var(--add)}.diff .d{background:var(--del)}.diff .h{background:var(--hunk)}
.diff .m{color:var(--dim)}
footer{margin-top:2rem;font-size:.85em}
@media (max-width:34rem){dl{grid-template-columns:1fr}dd{margin-bottom:.4rem}body{padding:1rem .6rem}}
@media print{:root{color-scheme:light;--bg:#fff;--fg:#000;--dim:#444;--line:#bbb;--soft:#fff;--good:#176f2c;--bad:#b3261e;--open:#7a5200;
--add:#e2f6e5;--del:#fde7e5;--hunk:#e5effb;--mark:#fff1c2;--curve:#2160c4}body{max-width:none;font-size:11pt}
pre{white-space:pre-wrap;overflow-wrap:anywhere}h2,h3,summary{break-after:avoid}*{print-color-adjust:exact}
details::details-content{content-visibility:visible;height:auto;opacity:1}}
`;
