"""Countries, and states of the US, with the codes they are stored by (ISO 3166 alpha-2 and alpha-3, USPS)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_CODES = """
afghanistan af,afg; albania al,alb; algeria dz,dza; argentina ar,arg; armenia am,arm; australia au,aus; austria at,aut;
azerbaijan az,aze; bahrain bh,bhr; bangladesh bd,bgd; belarus by,blr; belgium be,bel; bolivia bo,bol;
bosnia and herzegovina ba,bih; brazil br,bra; bulgaria bg,bgr; cambodia kh,khm; cameroon cm,cmr; canada ca,can;
chile cl,chl; china cn,chn; colombia co,col; costa rica cr,cri; croatia hr,hrv; cuba cu,cub; cyprus cy,cyp;
czech republic cz,cze; czechia cz,cze; denmark dk,dnk; dominican republic do,dom; ecuador ec,ecu; egypt eg,egy;
el salvador sv,slv; england gb,gbr; estonia ee,est; ethiopia et,eth; finland fi,fin; france fr,fra; georgia ge,geo,ga;
germany de,deu,ger; ghana gh,gha; great britain gb,gbr,uk; greece gr,grc; guatemala gt,gtm; honduras hn,hnd;
hong kong hk,hkg; hungary hu,hun; iceland is,isl; india in,ind; indonesia id,idn; iran ir,irn; iraq iq,irq;
ireland ie,irl; israel il,isr; italy it,ita; jamaica jm,jam; japan jp,jpn; jordan jo,jor; kazakhstan kz,kaz;
kenya ke,ken; kuwait kw,kwt; latvia lv,lva; lebanon lb,lbn; liechtenstein li,lie; lithuania lt,ltu; luxembourg lu,lux;
malaysia my,mys; malta mt,mlt; mexico mx,mex; moldova md,mda; monaco mc,mco; mongolia mn,mng; montenegro me,mne;
morocco ma,mar; nepal np,npl; netherlands nl,nld; new zealand nz,nzl; nicaragua ni,nic; nigeria ng,nga; norway no,nor;
oman om,omn; pakistan pk,pak; panama pa,pan; paraguay py,pry; peru pe,per; philippines ph,phl; poland pl,pol;
portugal pt,prt; qatar qa,qat; romania ro,rou; russia ru,rus; saudi arabia sa,sau; senegal sn,sen; serbia rs,srb;
singapore sg,sgp; slovakia sk,svk; slovenia si,svn; south africa za,zaf; south korea kr,kor; korea kr,kor; spain es,esp;
sri lanka lk,lka; sweden se,swe; switzerland ch,che; syria sy,syr; taiwan tw,twn; tanzania tz,tza; thailand th,tha;
tunisia tn,tun; turkey tr,tur; uganda ug,uga; ukraine ua,ukr; united arab emirates ae,are; united kingdom gb,gbr,uk;
united states us,usa; america us,usa; uruguay uy,ury; uzbekistan uz,uzb; venezuela ve,ven; vietnam vn,vnm; yemen ye,yem;
zambia zm,zmb; zimbabwe zw,zwe;
alabama al; alaska ak; arizona az; arkansas ar; california ca; colorado co; connecticut ct; delaware de; florida fl;
hawaii hi; idaho id; illinois il; indiana in; iowa ia; kansas ks; kentucky ky; louisiana la; maine me; maryland md;
massachusetts ma; michigan mi; minnesota mn; mississippi ms; missouri mo; montana mt; nebraska ne; nevada nv;
new hampshire nh; new jersey nj; new mexico nm; new york ny; north carolina nc; north dakota nd; ohio oh; oklahoma ok;
oregon or; pennsylvania pa; rhode island ri; south carolina sc; south dakota sd; tennessee tn; texas tx; utah ut;
vermont vt; virginia va; washington wa; west virginia wv; wisconsin wi; wyoming wy
"""


def _table(pairs: str) -> dict[str, tuple[str, ...]]:
    rows = (row.strip().rpartition(" ") for row in pairs.replace("\n", " ").split(";"))
    return {name: tuple(codes.split(",")) for name, _, codes in rows}


COUNTRY_CODES: Mapping[str, tuple[str, ...]] = MappingProxyType(_table(_CODES))
"""The codes of each country or state, both in lower case."""
